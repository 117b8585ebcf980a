-- Reasons in people’s own words leave the chain, so that they can be removed with the person whom they are about: the chain
-- holds a digest of each with a salt. Decision 0088. No older entry is read or written.

CREATE TABLE "audit_reason" (
    "entry_id" UUID NOT NULL,
    "text" TEXT,
    "salt" BYTEA,

    CONSTRAINT "audit_reason_pkey" PRIMARY KEY ("entry_id")
);

ALTER TABLE "audit" ADD COLUMN "reason_digest" BYTEA;

-- As before for entries without such a digest.
CREATE OR REPLACE FUNCTION "audit_entry_digest"("entry" "audit") RETURNS BYTEA LANGUAGE sql STABLE AS $$
  SELECT sha256(convert_to(
    audit_text(("entry")."id"::text) || audit_text(audit_time(("entry")."at")) || audit_text(("entry")."actor") ||
    audit_text(("entry")."actor_role") || audit_text(("entry")."action") || audit_text(("entry")."target") ||
    audit_text(("entry")."outcome") || audit_text(("entry")."reason") || audit_text(("entry")."details"::text) ||
    audit_text(("entry")."ip") || audit_text(("entry")."user_agent") || audit_text(audit_time(("entry")."expires_at")) ||
    CASE WHEN ("entry")."reason_digest" IS NULL THEN '' ELSE audit_text(encode(("entry")."reason_digest", 'hex')) END,
    'UTF8'))
$$;

-- The only way to remove a reason: the row stays without its text and salt, as it does where the entry is older and holds the
-- reason itself.
CREATE FUNCTION "erase_audit_reasons"("ids" UUID[]) RETURNS VOID LANGUAGE sql SECURITY DEFINER SET search_path = public, pg_temp AS $$
  UPDATE "audit" SET "reason" = NULL WHERE "id" = ANY("ids") AND "reason" IS NOT NULL;
  INSERT INTO "audit_reason" ("entry_id") SELECT unnest("ids")
  ON CONFLICT ("entry_id") DO UPDATE SET "text" = NULL, "salt" = NULL;
$$;
REVOKE EXECUTE ON FUNCTION "erase_audit_reasons"(UUID[]) FROM PUBLIC;
