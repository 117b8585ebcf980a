-- The mark of somebody who was erased. It names nobody: the uuid is kept as its SHA-256, and what the work needs to know of
-- the person goes when the work is done (decision 0053).
CREATE TABLE "erasure" (
    "id" UUID NOT NULL,
    "user_digest" BYTEA NOT NULL,
    "email_digest" BYTEA,
    "salt" BYTEA NOT NULL,
    "working" JSONB,
    "stage" TEXT NOT NULL,
    "position" TEXT NOT NULL DEFAULT '',
    "subjects" INTEGER NOT NULL DEFAULT 0,
    "deliveries" INTEGER NOT NULL DEFAULT 0,
    "began_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "finished_at" TIMESTAMPTZ(3),

    CONSTRAINT "erasure_pkey" PRIMARY KEY ("id")
);
CREATE UNIQUE INDEX "erasure_user_digest_key" ON "erasure"("user_digest");
CREATE INDEX "erasure_email_digest_idx" ON "erasure"("email_digest");
