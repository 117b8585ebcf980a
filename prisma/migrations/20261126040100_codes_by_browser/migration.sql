-- A code is bound to the browser that asked for it. What was asked for before belongs to no browser any more.
ALTER TABLE "code_request"
  ADD COLUMN "browser_digest" BYTEA NOT NULL DEFAULT '',
  ADD COLUMN "wrong_guesses" INTEGER NOT NULL DEFAULT 0,
  DROP CONSTRAINT "code_request_pkey",
  ADD CONSTRAINT "code_request_pkey" PRIMARY KEY ("user_uuid", "browser_digest");
ALTER TABLE "code_request" ALTER COLUMN "browser_digest" DROP DEFAULT;

-- Strangers used up what they may try in a day for one person, who is told of it.
CREATE TABLE "stranger_alarm" (
    "user_uuid" UUID NOT NULL,
    "day" DATE NOT NULL,
    "at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "seen_at" TIMESTAMPTZ(3),

    CONSTRAINT "stranger_alarm_pkey" PRIMARY KEY ("user_uuid","day")
);

CREATE INDEX "stranger_alarm_at_idx" ON "stranger_alarm"("at");
