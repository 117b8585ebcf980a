-- Pages show how many alerts fire, and a changed value alone changes no page.
CREATE TRIGGER alert_changed AFTER INSERT OR DELETE OR UPDATE OF resolved_at, acknowledged_at ON alert FOR EACH STATEMENT EXECUTE FUNCTION notify_status_changed();
