-- Columns, a table and stored words get the names that the field uses (decision 0041). Nothing is rewritten but the rows of
-- `handover` and one setting. Each statement keeps its lock until the commit, so the busiest table comes last.
ALTER TABLE "handover" RENAME TO "secret_handoff";
ALTER TABLE "secret_handoff" RENAME CONSTRAINT "handover_pkey" TO "secret_handoff_pkey";
ALTER INDEX "handover_endpoint_uuid_key" RENAME TO "secret_handoff_endpoint_uuid_key";
ALTER INDEX "handover_replaces_idx" RENAME TO "secret_handoff_replaces_idx";
ALTER TABLE "secret_handoff" RENAME COLUMN "known" TO "known_endpoints";
UPDATE "secret_handoff" SET "state" = 'requested' WHERE "state" = 'asked';

ALTER TABLE "watched_endpoint" RENAME COLUMN "active_at" TO "last_active_at";
ALTER TABLE "watched_endpoint" RENAME COLUMN "events_since" TO "events_changed_at";
ALTER TABLE "receiver_period" RENAME COLUMN "looked_at" TO "last_seen_at";
ALTER TABLE "replay" RENAME COLUMN "beat_at" TO "last_progress_at";

UPDATE "setting" SET "key" = 'rules-version' WHERE "key" = 'rules';
ALTER TABLE "rebuild" RENAME COLUMN "rules" TO "rules_version";

ALTER TABLE "answer_lost" RENAME COLUMN "how" TO "cause";
ALTER TABLE "delivery_pending" RENAME COLUMN "set_aside_at" TO "dead_lettered_at";
