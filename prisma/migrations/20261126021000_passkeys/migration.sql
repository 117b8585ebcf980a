-- A passkey of a member: the public half, and how often the device says that it was used.
CREATE TABLE "passkey" (
    "id" UUID NOT NULL,
    "member_id" UUID NOT NULL,
    "credential_id" TEXT NOT NULL,
    "public_key" BYTEA NOT NULL,
    "counter" BIGINT NOT NULL,
    "transports" TEXT[] NOT NULL DEFAULT '{}',
    "name" TEXT NOT NULL,
    "backed_up" BOOLEAN NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "last_used_at" TIMESTAMPTZ(3),

    CONSTRAINT "passkey_pkey" PRIMARY KEY ("id")
);
CREATE UNIQUE INDEX "passkey_credential_id_key" ON "passkey"("credential_id");
CREATE INDEX "passkey_member_id_idx" ON "passkey"("member_id");

-- What a passkey was asked to sign: for one browser, one purpose and one use.
CREATE TABLE "passkey_challenge" (
    "challenge" TEXT NOT NULL,
    "browser_digest" BYTEA NOT NULL,
    "purpose" TEXT NOT NULL,
    "member_id" UUID,
    "expires_at" TIMESTAMPTZ(3) NOT NULL,
    "used_at" TIMESTAMPTZ(3),

    CONSTRAINT "passkey_challenge_pkey" PRIMARY KEY ("challenge")
);
CREATE INDEX "passkey_challenge_expires_at_idx" ON "passkey_challenge"("expires_at");
