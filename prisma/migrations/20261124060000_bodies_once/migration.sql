-- A body stands in the log; an event keeps it only when the log no longer does (decision 0031).
ALTER TABLE "event" ALTER COLUMN "envelope" DROP NOT NULL;

CREATE FUNCTION "event_body"("event_id" UUID, "kept" BYTEA) RETURNS BYTEA LANGUAGE sql STABLE PARALLEL SAFE AS $$
  SELECT coalesce(kept, (SELECT body FROM delivery WHERE delivery.id = event_id))
$$;

-- A delivery that moves to another partition is still there when its statement ends.
CREATE FUNCTION "keep_body"() RETURNS TRIGGER LANGUAGE plpgsql AS $$
BEGIN
  UPDATE event SET envelope = OLD.body
  WHERE id = OLD.id AND envelope IS NULL AND NOT EXISTS (SELECT FROM delivery WHERE delivery.id = OLD.id);
  RETURN NULL;
END
$$;
CREATE TRIGGER "keep_body" AFTER DELETE ON "delivery" FOR EACH ROW EXECUTE FUNCTION "keep_body"();
