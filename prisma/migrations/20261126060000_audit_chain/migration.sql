-- The audit becomes a chain that the application can only add to. Decision 0047. A large audit costs nothing here: no older
-- entry is read or written.

-- Entries that anybody can cause go after a time, which stands in them from the beginning.
ALTER TABLE "audit" ADD COLUMN "expires_at" TIMESTAMPTZ(3);

CREATE TABLE "audit_link" (
    "position" BIGINT NOT NULL,
    "entry_id" UUID NOT NULL,
    "entry_digest" BYTEA NOT NULL,
    "expires_at" TIMESTAMPTZ(3),
    "previous" BYTEA NOT NULL,
    "digest" BYTEA NOT NULL,

    CONSTRAINT "audit_link_pkey" PRIMARY KEY ("position")
);
CREATE UNIQUE INDEX "audit_link_entry_id_key" ON "audit_link"("entry_id");

-- A text with its length in bytes before it, so that two different lists of texts are never the same bytes.
CREATE FUNCTION "audit_text"("value" TEXT) RETURNS TEXT LANGUAGE sql IMMUTABLE AS $$
  SELECT coalesce(octet_length("value") || ':' || "value", '-')
$$;

CREATE FUNCTION "audit_time"("value" TIMESTAMPTZ) RETURNS TEXT LANGUAGE sql STABLE AS $$
  SELECT to_char("value" AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')
$$;

-- `lib/audit/chain.ts` makes the same digests, from what is stored.
CREATE FUNCTION "audit_entry_digest"("entry" "audit") RETURNS BYTEA LANGUAGE sql STABLE AS $$
  SELECT sha256(convert_to(
    audit_text(("entry")."id"::text) || audit_text(audit_time(("entry")."at")) || audit_text(("entry")."actor") ||
    audit_text(("entry")."actor_role") || audit_text(("entry")."action") || audit_text(("entry")."target") ||
    audit_text(("entry")."outcome") || audit_text(("entry")."reason") || audit_text(("entry")."details"::text) ||
    audit_text(("entry")."ip") || audit_text(("entry")."user_agent") || audit_text(audit_time(("entry")."expires_at")),
    'UTF8'))
$$;

CREATE FUNCTION "append_audit_link"("entry" "audit") RETURNS VOID LANGUAGE plpgsql AS $$
DECLARE
  "last" "audit_link";
  "own" BYTEA := audit_entry_digest("entry");
BEGIN
  SELECT * INTO "last" FROM "audit_link" ORDER BY "position" DESC LIMIT 1;
  "last"."position" := coalesce("last"."position", 0);
  "last"."digest" := coalesce("last"."digest", '');
  INSERT INTO "audit_link" ("position", "entry_id", "entry_digest", "expires_at", "previous", "digest")
  VALUES ("last"."position" + 1, "entry"."id", "own", "entry"."expires_at", "last"."digest",
          sha256("last"."digest" || int8send("last"."position" + 1) || "own" ||
                 convert_to(audit_text(audit_time("entry"."expires_at")), 'UTF8')));
END
$$;

-- Runs at the commit: whoever commits next waits for no more than the end of that. As the owner, since the application
-- itself may not write links.
CREATE FUNCTION "link_audit_entry"() RETURNS TRIGGER LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  PERFORM pg_advisory_xact_lock(7247007);
  PERFORM append_audit_link(NEW);
  PERFORM pg_notify('audit_linked', '');
  RETURN NULL;
END
$$;

-- All that may ever leave the audit; answers how many did. Refused sign-ins of before the chain do not name their end.
CREATE FUNCTION "expire_audit"("most" INT) RETURNS INT LANGUAGE sql SECURITY DEFINER SET search_path = public, pg_temp AS $$
  WITH "gone" AS (
    DELETE FROM "audit" WHERE "id" = ANY(ARRAY(
      SELECT "entry"."id" FROM "audit" AS "entry" JOIN "audit_link" AS "link" ON "link"."entry_id" = "entry"."id"
      WHERE "entry"."expires_at" < now() AND "link"."expires_at" < now()
      LIMIT "most" FOR UPDATE OF "entry" SKIP LOCKED
    ) || ARRAY(
      SELECT "id" FROM "audit" AS "entry"
      WHERE "action" = 'session.start' AND "outcome" = 'refused' AND "at" < now() - interval '90 days'
        AND "expires_at" IS NULL AND NOT EXISTS (SELECT FROM "audit_link" WHERE "entry_id" = "entry"."id")
      LIMIT "most" FOR UPDATE SKIP LOCKED))
    RETURNING 1
  )
  SELECT count(*)::int FROM "gone"
$$;

-- Who may attach the first to a table of their own could write links; who may call the second, empty the audit of refusals.
REVOKE EXECUTE ON FUNCTION "link_audit_entry"() FROM PUBLIC;
REVOKE EXECUTE ON FUNCTION "expire_audit"(INT) FROM PUBLIC;

CREATE CONSTRAINT TRIGGER "audit_linked" AFTER INSERT ON "audit" DEFERRABLE INITIALLY DEFERRED
FOR EACH ROW EXECUTE FUNCTION "link_audit_entry"();

-- What older versions wrote down stays outside of the chain, which then begins with an entry that says when. Nobody has
-- written one since that moment: this transaction holds the table.
INSERT INTO "audit" ("id", "at", "action", "outcome")
SELECT gen_random_uuid(), clock_timestamp(), 'audit.begin-chain', 'done' WHERE EXISTS (SELECT FROM "audit");
