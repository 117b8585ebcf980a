-- When a transaction came to where it stands; null where that is its last move. The rules that fill it have a new version.
ALTER TABLE "transaction" ADD COLUMN "step_began_at" TIMESTAMPTZ(3);
