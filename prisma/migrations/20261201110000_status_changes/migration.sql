-- Open pages say at once that deliveries are missing, or that a gap was closed, whatever process found it.
CREATE FUNCTION "notify_status_changed"() RETURNS TRIGGER LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_notify('status_changed', '');
  RETURN NULL;
END $$;

CREATE TRIGGER "gap_changed" AFTER INSERT OR UPDATE OR DELETE ON "gap"
FOR EACH STATEMENT EXECUTE FUNCTION "notify_status_changed"();

-- The state of the service is written every minute; only another outcome of the look is news.
CREATE TRIGGER "service_state_changed" AFTER UPDATE ON "setting"
FOR EACH ROW WHEN (OLD."key" = 'service-state' AND OLD."value" -> 'look' IS DISTINCT FROM NEW."value" -> 'look')
EXECUTE FUNCTION "notify_status_changed"();
