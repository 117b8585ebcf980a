-- What a message is to be signed for: a signature for one thing is none for the other.
ALTER TABLE "challenge" ADD COLUMN "purpose" TEXT NOT NULL DEFAULT 'sign-in';

-- In which browser an account was made, and whether the wallet that was given then may sign in.
CREATE TABLE "sign_up" (
    "user_uuid" UUID NOT NULL,
    "browser_digest" BYTEA NOT NULL,
    "target_address" TEXT,
    "wallet_state" TEXT,
    "at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "decided_at" TIMESTAMPTZ(3),

    CONSTRAINT "sign_up_pkey" PRIMARY KEY ("user_uuid"),
    CONSTRAINT "sign_up_wallet" CHECK (("target_address" IS NULL) = ("wallet_state" IS NULL))
);
