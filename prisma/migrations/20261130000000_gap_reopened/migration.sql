-- Rampart does not close a gap by itself that an admin has reopened.
ALTER TABLE gap ADD COLUMN reopened_at TIMESTAMPTZ(3);
