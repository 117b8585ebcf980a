-- An acknowledgement is for an alert as bad as it was then.
ALTER TABLE alert ADD COLUMN acknowledged_value double precision;
UPDATE alert SET acknowledged_value = worst WHERE acknowledged_at IS NOT NULL AND resolved_at IS NULL;
