-- Whoever runs a replay holds a lease of its name.
ALTER TABLE "replay" DROP COLUMN "epoch";
