-- Under whose session an import runs: it stops with that session.
ALTER TABLE "user_import" ADD COLUMN "session_id" UUID;

-- Streams, replays and imports end with their session, in whatever process and by whatever statement it ends. Signing in anew
-- ends neither of the latter, signing out no replay: these belong to the person's next session that is ended for them.
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
  IF TG_OP = 'UPDATE' AND COALESCE(NEW."end_reason", '') <> 'replaced' THEN
    UPDATE "user_import" SET "state" = 'stopped'
    FROM "session" AS "of"
    WHERE "user_import"."state" = 'running' AND "of"."id" = "user_import"."session_id"
      AND ("of"."id" = OLD."id"
        OR ("of"."ended_at" IS NOT NULL
          AND ("of"."user_uuid" = OLD."user_uuid" OR "of"."member_id" = OLD."member_id")));
  END IF;
  RETURN NULL;
END $$;

-- Somebody may leave the team, or lose their role, when no session of theirs is left to be ended. By both ids, since a stream may
-- know its person by either.
CREATE OR REPLACE FUNCTION "notify_member_changed"() RETURNS TRIGGER LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_notify('member_changed', concat_ws(' ', COALESCE(NEW."id", OLD."id"), OLD."user_uuid", NEW."user_uuid"));
  IF TG_OP = 'UPDATE' AND (NEW."removed_at" IS NOT NULL OR NEW."role" <> OLD."role") THEN
    UPDATE "replay" SET "state" = 'stopped'
    FROM "session" AS "of"
    WHERE "replay"."state" = 'running' AND "of"."id" = "replay"."session_id"
      AND ("of"."user_uuid" = OLD."user_uuid" OR "of"."member_id" = OLD."id");
    UPDATE "user_import" SET "state" = 'stopped'
    FROM "session" AS "of"
    WHERE "user_import"."state" = 'running' AND "of"."id" = "user_import"."session_id"
      AND ("of"."user_uuid" = OLD."user_uuid" OR "of"."member_id" = OLD."id");
  END IF;
  RETURN NULL;
END $$;
