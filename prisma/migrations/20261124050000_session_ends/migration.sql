-- Live streams end with their session, in whatever process and by whatever statement it ends.
CREATE FUNCTION "notify_session_ended"() RETURNS TRIGGER LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_notify('session_ended', OLD."id"::text);
  RETURN NULL;
END $$;

CREATE TRIGGER "session_ended" AFTER UPDATE OF "ended_at" ON "session"
FOR EACH ROW WHEN (OLD."ended_at" IS NULL AND NEW."ended_at" IS NOT NULL)
EXECUTE FUNCTION "notify_session_ended"();

-- What has expired has no stream any more.
CREATE TRIGGER "session_deleted" AFTER DELETE ON "session"
FOR EACH ROW WHEN (OLD."ended_at" IS NULL AND OLD."expires_at" > clock_timestamp())
EXECUTE FUNCTION "notify_session_ended"();

-- A session does not outlive the role that it began with.
CREATE FUNCTION "notify_member_changed"() RETURNS TRIGGER LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_notify('member_changed', COALESCE(NEW."user_uuid", OLD."user_uuid")::text);
  RETURN NULL;
END $$;

CREATE TRIGGER "member_changed" AFTER INSERT OR DELETE OR UPDATE OF "user_uuid", "role", "removed_at" ON "member"
FOR EACH ROW EXECUTE FUNCTION "notify_member_changed"();
