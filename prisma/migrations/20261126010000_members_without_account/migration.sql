-- Staff need no account at the service: a session is a user's, or a member's, or belongs to both.
ALTER TABLE "member" ADD COLUMN "email" TEXT;
ALTER TABLE "session" ALTER COLUMN "user_uuid" DROP NOT NULL;
ALTER TABLE "session" ADD COLUMN "member_id" UUID;
ALTER TABLE "session" ADD CONSTRAINT "session_of_somebody" CHECK ("user_uuid" IS NOT NULL OR "member_id" IS NOT NULL);
CREATE INDEX "session_member_id_idx" ON "session"("member_id");

-- By both ids, since a stream may know its person by either.
CREATE OR REPLACE FUNCTION "notify_member_changed"() RETURNS TRIGGER LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_notify('member_changed', concat_ws(' ', COALESCE(NEW."id", OLD."id"), OLD."user_uuid", NEW."user_uuid"));
  RETURN NULL;
END $$;
