-- A fold removes a row in the version that it took: new evidence makes another.
ALTER TABLE delivery_pending ADD COLUMN version INTEGER NOT NULL DEFAULT 0;
