-- The last delivery of an event that was a retry or said that it happened again, the sender not saying which. The rebuild
-- that the new version of the rules begins fills it in.
ALTER TABLE "event" ADD COLUMN "came_again_id" UUID, ADD COLUMN "came_again_at" TIMESTAMPTZ(3);
