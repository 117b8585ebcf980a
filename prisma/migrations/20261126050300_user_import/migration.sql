-- People from a file: checked whole, then taken line by line.
CREATE TABLE "user_import" (
    "id" UUID NOT NULL,
    "file_name" TEXT NOT NULL,
    "actor" TEXT NOT NULL,
    "state" TEXT NOT NULL,
    "total" INTEGER NOT NULL,
    "broken" INTEGER NOT NULL,
    "created" INTEGER NOT NULL,
    "done" INTEGER NOT NULL DEFAULT 0,
    "failed" INTEGER NOT NULL DEFAULT 0,
    "why" TEXT,
    "checked_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "last_progress_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "user_import_pkey" PRIMARY KEY ("id")
);
CREATE INDEX "user_import_last_progress_at_idx" ON "user_import"("last_progress_at");

CREATE TABLE "user_import_row" (
    "import_id" UUID NOT NULL,
    "line" INTEGER NOT NULL,
    "state" TEXT NOT NULL,
    "user_uuid" UUID,
    "email" TEXT,
    "first_name" TEXT,
    "last_name" TEXT,
    "country" TEXT,
    "customer_number" TEXT,
    "error" TEXT,

    CONSTRAINT "user_import_row_pkey" PRIMARY KEY ("import_id", "line")
);
CREATE INDEX "user_import_row_user_uuid_idx" ON "user_import_row"("user_uuid");
CREATE INDEX "user_import_row_email_idx" ON "user_import_row"(lower("email")) WHERE "email" IS NOT NULL;
CREATE INDEX "user_import_row_open_idx" ON "user_import_row"("import_id", "line") WHERE "state" IN ('waiting', 'sending');
