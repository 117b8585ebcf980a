-- When the body of an event left the log for good; null while it is there, or kept whole by the event. Decision 0116.
ALTER TABLE "event" ADD COLUMN "body_left_at" TIMESTAMPTZ(3);
-- Deliveries of a rebuild that the log no longer holds: it made their rows from what the tables keep.
ALTER TABLE "rebuild_part" ADD COLUMN "kept" BIGINT NOT NULL DEFAULT 0;
