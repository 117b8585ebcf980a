-- As whom a member signs in at the provider of single sign-on.
ALTER TABLE "member" ADD COLUMN "sso_issuer" TEXT, ADD COLUMN "sso_subject" TEXT;
CREATE UNIQUE INDEX "member_sso_issuer_sso_subject_key" ON "member"("sso_issuer", "sso_subject");

-- A browser on its way to the provider: what its answer must fit. Deleted when the answer comes.
CREATE TABLE "sso_attempt" (
    "state_digest" BYTEA NOT NULL,
    "browser_digest" BYTEA NOT NULL,
    "nonce" TEXT NOT NULL,
    "code_verifier" TEXT NOT NULL,
    "next" TEXT,
    "expires_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "sso_attempt_pkey" PRIMARY KEY ("state_digest")
);
CREATE INDEX "sso_attempt_expires_at_idx" ON "sso_attempt"("expires_at");
