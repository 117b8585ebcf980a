-- rampart: concurrently
-- Dead letters are few in a queue that may be long: who counts, lists or retries them reads no other row.
CREATE INDEX "delivery_pending_dead_idx" ON "delivery_pending"("delivery_id") WHERE "dead_lettered_at" IS NOT NULL;
