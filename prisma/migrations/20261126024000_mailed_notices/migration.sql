-- When a notice was handed to the mail server; null where none is set, or while it did not take it.
ALTER TABLE "admin_notice" ADD COLUMN "mailed_at" TIMESTAMPTZ(3);
CREATE INDEX "admin_notice_unmailed_idx" ON "admin_notice"("at") WHERE "mailed_at" IS NULL;
