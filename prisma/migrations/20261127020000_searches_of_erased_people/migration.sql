-- What is sealed, and the digest it is found by, go when the person whom it names is erased; the id stays to say so.
ALTER TABLE search_link
  ALTER COLUMN digest DROP NOT NULL,
  ALTER COLUMN sealed DROP NOT NULL,
  ALTER COLUMN key_id DROP NOT NULL,
  ADD COLUMN place text NOT NULL DEFAULT 'subjects';
