-- Each reason that is removed has an entry of its own in the chain, so that none goes unseen. Decision 0088.
CREATE OR REPLACE FUNCTION "erase_audit_reasons"("ids" UUID[]) RETURNS VOID LANGUAGE sql SECURITY DEFINER SET search_path = public, pg_temp AS $$
  WITH "emptied" AS (
    UPDATE "audit" SET "reason" = NULL WHERE "id" = ANY("ids") AND "reason" IS NOT NULL
    RETURNING "id", audit_entry_digest("audit") AS "digest"
  ), "removed" AS (
    UPDATE "audit_reason" SET "text" = NULL, "salt" = NULL
    FROM "audit" WHERE "audit"."id" = "entry_id" AND "entry_id" = ANY("ids") AND "text" IS NOT NULL
    RETURNING "entry_id", audit_entry_digest("audit") AS "digest"
  )
  INSERT INTO "audit" ("id", "action", "target", "outcome", "details")
  SELECT gen_random_uuid(), 'audit.remove-reason', "id"::text, 'done', jsonb_build_object('digest', encode("digest", 'hex'))
  FROM (SELECT * FROM "emptied" UNION ALL SELECT * FROM "removed") AS "gone" ("id", "digest");
  -- An older entry that held its reason itself is told from one that never had any.
  INSERT INTO "audit_reason" ("entry_id") SELECT unnest("ids") ON CONFLICT DO NOTHING;
$$;

-- Those that were removed before.
INSERT INTO "audit" ("id", "action", "target", "outcome", "details")
SELECT gen_random_uuid(), 'audit.remove-reason', "audit"."id"::text, 'done',
  jsonb_build_object('digest', encode(audit_entry_digest("audit"), 'hex'))
FROM "audit" JOIN "audit_reason" ON "entry_id" = "audit"."id"
WHERE "text" IS NULL AND "reason_digest" IS NOT NULL;
