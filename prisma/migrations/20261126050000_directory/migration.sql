-- The merchant's own number of a person, and the companies that the service links to one.
ALTER TABLE "person" ADD COLUMN "customer_number" TEXT,
ADD COLUMN "customer_number_key" TEXT,
ADD COLUMN "linked_corporates" UUID[];
CREATE INDEX "person_customer_number_key_idx" ON "person"("customer_number_key");
CREATE INDEX "person_linked_corporates_idx" ON "person" USING gin ("linked_corporates");
CREATE INDEX "person_created_at_user_uuid_idx" ON "person"("created_at" DESC, "user_uuid" DESC);

-- Two users whose addresses differ in case only are two people: each gets back the key that it lost to the other.
UPDATE "person" SET "email_key" = lower(btrim("email"))
WHERE "email_key" IS NULL AND "email" IS NOT NULL AND NOT EXISTS (
  SELECT FROM "person" AS "other" WHERE "other"."email" = "person"."email" AND "other"."email_key" IS NOT NULL
);

-- What a person is found by, from its beginning.
CREATE TABLE "person_term" (
    "term" TEXT COLLATE "C" NOT NULL,
    "user_uuid" UUID NOT NULL,

    CONSTRAINT "person_term_pkey" PRIMARY KEY ("term", "user_uuid")
);
CREATE INDEX "person_term_user_uuid_idx" ON "person_term"("user_uuid");
INSERT INTO "person_term" ("term", "user_uuid")
SELECT DISTINCT lower("term"), "user_uuid" FROM "person", unnest(ARRAY[
  "user_uuid"::text, btrim("email"), "target_address", "first_name", "last_name", "first_name" || ' ' || "last_name"
]) AS "term" WHERE "term" <> '';

-- Users that deliveries named and the directory did not know: each is read from the service once.
CREATE TABLE "user_lookup" (
    "user_uuid" UUID NOT NULL,
    "outcome" TEXT NOT NULL,
    "attempts" INTEGER NOT NULL DEFAULT 0,
    "noted_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "next_at" TIMESTAMPTZ(3) DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "user_lookup_pkey" PRIMARY KEY ("user_uuid")
);
CREATE INDEX "user_lookup_next_at_idx" ON "user_lookup"("next_at");
