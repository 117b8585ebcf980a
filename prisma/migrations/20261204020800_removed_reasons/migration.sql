-- An older entry does not say any more what was linked once its reason is removed. What it says then goes into the chain, so that
-- nobody can change the rest of it under that pretext. Decision 0088.
CREATE OR REPLACE FUNCTION "erase_audit_reasons"("ids" UUID[]) RETURNS VOID LANGUAGE sql SECURITY DEFINER SET search_path = public, pg_temp AS $$
  WITH "emptied" AS (
    UPDATE "audit" SET "reason" = NULL WHERE "id" = ANY("ids") AND "reason" IS NOT NULL
    RETURNING "id", audit_entry_digest("audit") AS "digest"
  )
  INSERT INTO "audit" ("id", "action", "target", "outcome", "details")
  SELECT gen_random_uuid(), 'audit.remove-reason', "id"::text, 'done', jsonb_build_object('digest', encode("digest", 'hex'))
  FROM "emptied";
  INSERT INTO "audit_reason" ("entry_id") SELECT unnest("ids")
  ON CONFLICT ("entry_id") DO UPDATE SET "text" = NULL, "salt" = NULL;
$$;
