-- Who had a share token made, of whose verification: what is left of somebody when they leave the team.
CREATE TABLE "share_token" (
    "id" UUID NOT NULL,
    "user_uuid" UUID NOT NULL,
    "person" TEXT NOT NULL,
    "at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "share_token_pkey" PRIMARY KEY ("id")
);
CREATE INDEX "share_token_user_uuid_idx" ON "share_token"("user_uuid");
CREATE INDEX "share_token_person_idx" ON "share_token"("person");
