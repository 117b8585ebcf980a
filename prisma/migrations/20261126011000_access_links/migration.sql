-- Null until somebody who was let in by a link has set up a way to sign in: until then they have no role.
ALTER TABLE "member" ADD COLUMN "joined_at" TIMESTAMPTZ(3) DEFAULT CURRENT_TIMESTAMP;
UPDATE "member" SET "joined_at" = "created_at";
CREATE INDEX "member_setting_up_idx" ON "member"("created_at") WHERE "joined_at" IS NULL;

-- Links that let one person in: whoever sets Rampart up, whoever is invited, whoever has lost every other way.
CREATE TABLE "access_link" (
    "id" UUID NOT NULL,
    "kind" TEXT NOT NULL,
    "token_digest" BYTEA NOT NULL,
    "member_id" UUID,
    "name" TEXT,
    "email" TEXT,
    "role" TEXT,
    "invitee" TEXT,
    "created_by" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "expires_at" TIMESTAMPTZ(3) NOT NULL,
    "used_at" TIMESTAMPTZ(3),
    "withdrawn_at" TIMESTAMPTZ(3),

    CONSTRAINT "access_link_pkey" PRIMARY KEY ("id")
);
CREATE UNIQUE INDEX "access_link_token_digest_key" ON "access_link"("token_digest");
CREATE INDEX "access_link_member_id_idx" ON "access_link"("member_id");
CREATE INDEX "access_link_expires_at_idx" ON "access_link"("expires_at");
-- Of two admins who invite the same person at once, one does.
CREATE UNIQUE INDEX "access_link_one_invitation" ON "access_link"("invitee") WHERE "used_at" IS NULL AND "withdrawn_at" IS NULL;
