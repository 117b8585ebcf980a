CREATE FUNCTION audit_text(value text) RETURNS text
    LANGUAGE sql IMMUTABLE
    AS $$
  SELECT coalesce(octet_length("value") || ':' || "value", '-')
$$;

CREATE FUNCTION audit_time(value TIMESTAMPTZ) RETURNS text
    LANGUAGE sql STABLE
    AS $$
  SELECT to_char("value" AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')
$$;

CREATE TABLE audit (
  id uuid NOT NULL,
  at TIMESTAMPTZ(3) DEFAULT CURRENT_TIMESTAMP NOT NULL,
  actor text,
  actor_role text,
  action text NOT NULL,
  target text,
  outcome text NOT NULL,
  reason text,
  details jsonb DEFAULT '{}'::jsonb NOT NULL,
  ip text,
  user_agent text,
  expires_at TIMESTAMPTZ(3),
  reason_digest bytea,
  CONSTRAINT audit_pkey PRIMARY KEY (id)
);
CREATE INDEX audit_action_at_idx ON audit (action, at DESC);
CREATE INDEX audit_actor_at_idx ON audit (actor, at DESC);
CREATE INDEX audit_at_idx ON audit (at DESC);
CREATE INDEX audit_expires_at_idx ON audit (expires_at);
CREATE INDEX audit_person_at_idx ON audit (((details ->> 'person'::text)), at DESC) WHERE ((details ->> 'person'::text) IS NOT NULL);
CREATE INDEX audit_refused_sign_in_idx ON audit (at) WHERE ((action = 'session.start'::text) AND (outcome = 'refused'::text));
CREATE INDEX audit_target_at_idx ON audit (target, at DESC);

CREATE TABLE audit_counter (
  minute TIMESTAMPTZ(3) NOT NULL,
  actor text NOT NULL,
  actor_role text NOT NULL,
  action text NOT NULL,
  target text NOT NULL,
  outcome text NOT NULL,
  session_id uuid,
  count integer NOT NULL,
  person text,
  CONSTRAINT audit_counter_pkey PRIMARY KEY (minute, actor, action, target)
);

CREATE TABLE audit_link (
  "position" bigint NOT NULL,
  entry_id uuid NOT NULL,
  entry_digest bytea NOT NULL,
  expires_at TIMESTAMPTZ(3),
  previous bytea NOT NULL,
  digest bytea NOT NULL,
  CONSTRAINT audit_link_pkey PRIMARY KEY ("position")
);
CREATE UNIQUE INDEX audit_link_entry_id_key ON audit_link (entry_id);

CREATE TABLE audit_reason (
  entry_id uuid NOT NULL,
  text text,
  salt bytea,
  CONSTRAINT audit_reason_pkey PRIMARY KEY (entry_id)
);

CREATE TABLE admin_notice (
  id uuid NOT NULL,
  at TIMESTAMPTZ(3) DEFAULT CURRENT_TIMESTAMP NOT NULL,
  kind text NOT NULL,
  actor text,
  actor_name text,
  about text,
  reason text,
  facts jsonb DEFAULT '{}'::jsonb NOT NULL,
  seen_by text[] DEFAULT '{}'::text[] NOT NULL,
  mailed_at TIMESTAMPTZ(3),
  CONSTRAINT admin_notice_pkey PRIMARY KEY (id)
);
CREATE INDEX admin_notice_at_idx ON admin_notice (at DESC);
CREATE INDEX admin_notice_unmailed_idx ON admin_notice (at) WHERE (mailed_at IS NULL);

CREATE TABLE mail (
  id uuid NOT NULL,
  kind text NOT NULL,
  recipient text NOT NULL,
  about uuid[] DEFAULT ARRAY[]::uuid[] NOT NULL,
  sealed bytea,
  key_id text,
  state text DEFAULT 'waiting'::text NOT NULL,
  created_at TIMESTAMPTZ(3) DEFAULT CURRENT_TIMESTAMP NOT NULL,
  next_at TIMESTAMPTZ(3) DEFAULT CURRENT_TIMESTAMP NOT NULL,
  give_up_at TIMESTAMPTZ(3) NOT NULL,
  tries integer DEFAULT 0 NOT NULL,
  unsure integer DEFAULT 0 NOT NULL,
  claimed_until TIMESTAMPTZ(3),
  handed_over_at TIMESTAMPTZ(3),
  tried_at TIMESTAMPTZ(3),
  last_answer text,
  ended_at TIMESTAMPTZ(3),
  CONSTRAINT mail_ended_check CHECK (((state = 'waiting'::text) = (ended_at IS NULL))),
  CONSTRAINT mail_state_check CHECK ((state = ANY (ARRAY['waiting'::text, 'sent'::text, 'failed'::text, 'unknown'::text]))),
  CONSTRAINT mail_pkey PRIMARY KEY (id)
);
CREATE INDEX mail_ended_at_idx ON mail (ended_at);
CREATE INDEX mail_invitation_idx ON mail USING gin (about) WHERE (kind = 'invitation'::text);
CREATE INDEX mail_waiting_idx ON mail (next_at) WHERE (state = 'waiting'::text);

CREATE FUNCTION audit_entry_digest(entry audit) RETURNS bytea
    LANGUAGE sql STABLE
    AS $$
  SELECT sha256(convert_to(
    audit_text(("entry")."id"::text) || audit_text(audit_time(("entry")."at")) || audit_text(("entry")."actor") ||
    audit_text(("entry")."actor_role") || audit_text(("entry")."action") || audit_text(("entry")."target") ||
    audit_text(("entry")."outcome") || audit_text(("entry")."reason") || audit_text(("entry")."details"::text) ||
    audit_text(("entry")."ip") || audit_text(("entry")."user_agent") || audit_text(audit_time(("entry")."expires_at")) ||
    CASE WHEN ("entry")."reason_digest" IS NULL THEN '' ELSE audit_text(encode(("entry")."reason_digest", 'hex')) END,
    'UTF8'))
$$;

CREATE FUNCTION append_audit_link(entry audit) RETURNS void
    LANGUAGE plpgsql
    AS $$
DECLARE
  "last" "audit_link";
  "own" BYTEA := audit_entry_digest("entry");
BEGIN
  SELECT * INTO "last" FROM "audit_link" ORDER BY "position" DESC LIMIT 1;
  "last"."position" := coalesce("last"."position", 0);
  "last"."digest" := coalesce("last"."digest", '');
  INSERT INTO "audit_link" ("position", "entry_id", "entry_digest", "expires_at", "previous", "digest")
  VALUES ("last"."position" + 1, "entry"."id", "own", "entry"."expires_at", "last"."digest",
          sha256("last"."digest" || int8send("last"."position" + 1) || "own" ||
                 convert_to(audit_text(audit_time("entry"."expires_at")), 'UTF8')));
END
$$;

CREATE FUNCTION date_audit_entry() RETURNS trigger
    LANGUAGE plpgsql
    SET search_path = pg_catalog, pg_temp
    AS $$
BEGIN
  IF NOT pg_has_role(current_user, (SELECT relowner FROM pg_class WHERE oid = TG_RELID), 'MEMBER') THEN
    NEW."at" := clock_timestamp();
    NEW."expires_at" := CASE
      WHEN NEW."expires_at" IS NOT NULL AND NEW."outcome" = 'refused'
           AND NEW."action" IN ('session.start', 'link.open', 'access.denied')
      THEN NEW."at" + interval '90 days' END;
  END IF;
  RETURN NEW;
END
$$;

CREATE FUNCTION erase_audit_reasons(ids uuid[]) RETURNS void
    LANGUAGE sql SECURITY DEFINER
    SET search_path = public, pg_temp
    AS $$
  WITH "emptied" AS (
    UPDATE "audit" SET "reason" = NULL WHERE "id" = ANY("ids") AND "reason" IS NOT NULL
    RETURNING "id", audit_entry_digest("audit") AS "digest"
  ), "removed" AS (
    UPDATE "audit_reason" SET "text" = NULL, "salt" = NULL
    FROM "audit" WHERE "audit"."id" = "entry_id" AND "entry_id" = ANY("ids") AND "text" IS NOT NULL
    RETURNING "entry_id", audit_entry_digest("audit") AS "digest"
  )
  INSERT INTO "audit" ("id", "action", "target", "outcome", "details")
  SELECT gen_random_uuid(), 'audit.remove-reason', "id"::text, 'done', jsonb_build_object('digest', encode("digest", 'hex'))
  FROM (SELECT * FROM "emptied" UNION ALL SELECT * FROM "removed") AS "gone" ("id", "digest");
  -- An older entry that held its reason itself is told from one that never had any.
  INSERT INTO "audit_reason" ("entry_id") SELECT unnest("ids") ON CONFLICT DO NOTHING;
$$;

CREATE FUNCTION expire_audit(most integer) RETURNS integer
    LANGUAGE sql SECURITY DEFINER
    SET search_path = public, pg_temp
    AS $$
  WITH "gone" AS (
    DELETE FROM "audit" WHERE "id" = ANY(ARRAY(
      SELECT "entry"."id" FROM "audit" AS "entry" JOIN "audit_link" AS "link" ON "link"."entry_id" = "entry"."id"
      WHERE "entry"."expires_at" < now() AND "link"."expires_at" < now()
      LIMIT "most" FOR UPDATE OF "entry" SKIP LOCKED
    ) || ARRAY(
      SELECT "id" FROM "audit" AS "entry"
      WHERE "action" = 'session.start' AND "outcome" = 'refused' AND "at" < now() - interval '90 days'
        AND "expires_at" IS NULL AND NOT EXISTS (SELECT FROM "audit_link" WHERE "entry_id" = "entry"."id")
      LIMIT "most" FOR UPDATE SKIP LOCKED))
    RETURNING 1
  )
  SELECT count(*)::int FROM "gone"
$$;

CREATE FUNCTION link_audit_entry() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path = public, pg_temp
    AS $$
BEGIN
  PERFORM pg_advisory_xact_lock(7247007);
  PERFORM append_audit_link(NEW);
  PERFORM pg_notify('audit_linked', '');
  RETURN NULL;
END
$$;

CREATE TRIGGER audit_dated BEFORE INSERT ON audit FOR EACH ROW EXECUTE FUNCTION date_audit_entry();
CREATE CONSTRAINT TRIGGER audit_linked AFTER INSERT ON audit DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION link_audit_entry();
