-- Sign-ups with a wallet that the service is being asked for, or whose answer was lost.
CREATE TABLE "sign_up_attempt" (
    "id" UUID NOT NULL,
    "browser_digest" BYTEA NOT NULL,
    "target_address" TEXT NOT NULL,
    "at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "sign_up_attempt_pkey" PRIMARY KEY ("id")
);

CREATE INDEX "sign_up_attempt_wallet" ON "sign_up_attempt" (lower("target_address"));
