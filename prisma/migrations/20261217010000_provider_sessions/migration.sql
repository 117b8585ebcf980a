-- How the provider of single sign-on was asked, for it to be asked otherwise when it refuses that.
ALTER TABLE "sso_attempt" ADD COLUMN "another" BOOLEAN NOT NULL DEFAULT false,
    ADD COLUMN "is_last" BOOLEAN NOT NULL DEFAULT false;

-- The session at the provider that a session here came from: signing out at either ends the other.
ALTER TABLE "session" ADD COLUMN "sso_token" BYTEA,
    ADD COLUMN "sso_token_key_id" TEXT,
    ADD COLUMN "sso_session" TEXT;
