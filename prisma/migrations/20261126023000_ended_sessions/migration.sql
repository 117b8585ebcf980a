-- Under whose session a replay runs: it stops with that session.
ALTER TABLE "replay" ADD COLUMN "session_id" UUID;

-- Live streams and replays end with their session, in whatever process and by whatever statement it ends. Signing out and
-- signing in anew end no replay: nobody has taken anything from the person who started it. A replay that ran on through
-- these belongs to the person's next session that is ended for them.
CREATE OR REPLACE FUNCTION "notify_session_ended"() RETURNS TRIGGER LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_notify('session_ended', OLD."id"::text);
  IF TG_OP = 'UPDATE' AND COALESCE(NEW."end_reason", '') NOT IN ('signed-out', 'replaced') THEN
    UPDATE "replay" SET "state" = 'stopped'
    FROM "session" AS "of"
    WHERE "replay"."state" = 'running' AND "of"."id" = "replay"."session_id"
      AND ("of"."id" = OLD."id"
        OR ("of"."ended_at" IS NOT NULL
          AND ("of"."user_uuid" = OLD."user_uuid" OR "of"."member_id" = OLD."member_id")));
  END IF;
  RETURN NULL;
END $$;
