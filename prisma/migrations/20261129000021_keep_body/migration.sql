-- A cluster refuses an UPDATE of a table on several servers whose condition reads a table on one.
CREATE OR REPLACE FUNCTION keep_body() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
BEGIN
  IF NOT EXISTS (SELECT FROM delivery WHERE delivery.id = OLD.id) THEN
    UPDATE event SET envelope = OLD.body WHERE id = OLD.id AND envelope IS NULL;
  END IF;
  RETURN NULL;
END
$$;
