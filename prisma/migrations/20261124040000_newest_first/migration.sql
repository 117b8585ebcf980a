-- An id is found by its value, newest subject first (decision 0025). Rows of before stand last until the rebuild reaches them.
ALTER TABLE "identifier" ADD COLUMN "started_at" TIMESTAMPTZ(3) NOT NULL DEFAULT 'epoch';

-- Written no more; dropped as soon as the new indexes stand.
ALTER TABLE "identifier" ALTER COLUMN "kind" SET DEFAULT '';
ALTER TABLE "identifier" ALTER COLUMN "reversed" DROP NOT NULL;
