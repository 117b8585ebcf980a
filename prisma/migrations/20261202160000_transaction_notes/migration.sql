-- What staff write beside a transaction, with a link to a ticket.
CREATE TABLE "transaction_note" (
    "subject_id" TEXT NOT NULL,
    "id" UUID NOT NULL,
    "text" TEXT NOT NULL,
    "ticket" TEXT,
    "author" TEXT NOT NULL,
    "written_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "changed_at" TIMESTAMPTZ(3),

    CONSTRAINT "transaction_note_pkey" PRIMARY KEY ("subject_id", "id")
);
CREATE INDEX "transaction_note_written_at_idx" ON "transaction_note"("written_at");
