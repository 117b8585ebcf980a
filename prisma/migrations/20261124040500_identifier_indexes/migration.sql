-- rampart: concurrently
CREATE INDEX "identifier_reverse_value_idx" ON "identifier"(reverse("value"));
CREATE INDEX "identifier_value_started_at_idx" ON "identifier"("value", "started_at");
CREATE INDEX "identifier_subject_id_idx" ON "identifier"("subject_id");

-- Without a key: one projector writes a subject, and leaves what is there. Logical replication knows a row by all of it.
ALTER TABLE "identifier" REPLICA IDENTITY FULL;
ALTER TABLE "identifier" DROP CONSTRAINT IF EXISTS "identifier_pkey";
ALTER TABLE "identifier" DROP COLUMN IF EXISTS "kind";
ALTER TABLE "identifier" DROP COLUMN IF EXISTS "reversed";
ALTER TABLE "identifier" ALTER COLUMN "started_at" DROP DEFAULT;
