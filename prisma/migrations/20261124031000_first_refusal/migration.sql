-- AlterTable
ALTER TABLE "refusal" ADD COLUMN "first_at" TIMESTAMPTZ(3);
