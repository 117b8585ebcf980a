-- One row for each recipient of each mail, from the transaction that causes it until some time after its end.
CREATE TABLE "mail" (
    "id" UUID NOT NULL,
    "kind" TEXT NOT NULL,
    "recipient" TEXT NOT NULL,
    "about" UUID[] NOT NULL DEFAULT ARRAY[]::UUID[],
    "sealed" BYTEA,
    "key_id" TEXT,
    "state" TEXT NOT NULL DEFAULT 'waiting',
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "next_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "give_up_at" TIMESTAMPTZ(3) NOT NULL,
    "tries" INTEGER NOT NULL DEFAULT 0,
    "unsure" INTEGER NOT NULL DEFAULT 0,
    "claimed_until" TIMESTAMPTZ(3),
    "handed_over_at" TIMESTAMPTZ(3),
    "tried_at" TIMESTAMPTZ(3),
    "last_answer" TEXT,
    "ended_at" TIMESTAMPTZ(3),

    CONSTRAINT "mail_pkey" PRIMARY KEY ("id"),
    CONSTRAINT "mail_state_check" CHECK ("state" IN ('waiting', 'sent', 'failed', 'unknown')),
    CONSTRAINT "mail_ended_check" CHECK (("state" = 'waiting') = ("ended_at" IS NULL))
);
CREATE INDEX "mail_waiting_idx" ON "mail"("next_at") WHERE "state" = 'waiting';
CREATE INDEX "mail_invitation_idx" ON "mail" USING GIN ("about") WHERE "kind" = 'invitation';
CREATE INDEX "mail_ended_at_idx" ON "mail"("ended_at");
