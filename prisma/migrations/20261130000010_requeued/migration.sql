-- What is queued again goes behind what is new, and has waited only since then.
ALTER TABLE delivery_pending ADD COLUMN requeued_at TIMESTAMPTZ(3);
CREATE INDEX delivery_pending_requeued_idx ON delivery_pending (requeued_at) WHERE requeued_at IS NOT NULL;
