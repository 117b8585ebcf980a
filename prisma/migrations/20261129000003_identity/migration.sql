CREATE TABLE member (
  id uuid NOT NULL,
  user_uuid uuid,
  name text NOT NULL,
  role text NOT NULL,
  created_at TIMESTAMPTZ(3) DEFAULT CURRENT_TIMESTAMP NOT NULL,
  removed_at TIMESTAMPTZ(3),
  email text,
  joined_at TIMESTAMPTZ(3) DEFAULT CURRENT_TIMESTAMP,
  sso_issuer text,
  sso_subject text,
  sso_email text,
  CONSTRAINT member_pkey PRIMARY KEY (id)
);
CREATE INDEX member_setting_up_idx ON member (created_at) WHERE (joined_at IS NULL);
CREATE UNIQUE INDEX member_sso_issuer_sso_subject_key ON member (sso_issuer, sso_subject);
CREATE UNIQUE INDEX member_user_uuid_key ON member (user_uuid);

CREATE TABLE session (
  id uuid NOT NULL,
  token_digest bytea NOT NULL,
  user_uuid uuid,
  method text NOT NULL,
  role text NOT NULL,
  service_session bytea,
  service_key_id text,
  user_agent text,
  ip text,
  created_at TIMESTAMPTZ(3) DEFAULT CURRENT_TIMESTAMP NOT NULL,
  signed_in_at TIMESTAMPTZ(3) DEFAULT CURRENT_TIMESTAMP NOT NULL,
  last_seen_at TIMESTAMPTZ(3) DEFAULT CURRENT_TIMESTAMP NOT NULL,
  idle_expires_at TIMESTAMPTZ(3) NOT NULL,
  expires_at TIMESTAMPTZ(3) NOT NULL,
  ended_at TIMESTAMPTZ(3),
  end_reason text,
  member_id uuid,
  sso_token bytea,
  sso_token_key_id text,
  sso_session text,
  CONSTRAINT session_of_somebody CHECK (((user_uuid IS NOT NULL) OR (member_id IS NOT NULL))),
  CONSTRAINT session_pkey PRIMARY KEY (id)
);
CREATE INDEX session_expires_at_idx ON session (expires_at);
CREATE INDEX session_member_id_idx ON session (member_id);
CREATE UNIQUE INDEX session_token_digest_key ON session (token_digest);
CREATE INDEX session_user_uuid_idx ON session (user_uuid);

CREATE TABLE access_link (
  id uuid NOT NULL,
  kind text NOT NULL,
  token_digest bytea NOT NULL,
  member_id uuid,
  name text,
  email text,
  role text,
  invitee text,
  created_by text NOT NULL,
  created_at TIMESTAMPTZ(3) DEFAULT CURRENT_TIMESTAMP NOT NULL,
  expires_at TIMESTAMPTZ(3) NOT NULL,
  used_at TIMESTAMPTZ(3),
  withdrawn_at TIMESTAMPTZ(3),
  CONSTRAINT access_link_pkey PRIMARY KEY (id)
);
CREATE INDEX access_link_expires_at_idx ON access_link (expires_at);
CREATE INDEX access_link_member_id_idx ON access_link (member_id);
CREATE UNIQUE INDEX access_link_one_invitation ON access_link (invitee) WHERE ((used_at IS NULL) AND (withdrawn_at IS NULL));
CREATE UNIQUE INDEX access_link_token_digest_key ON access_link (token_digest);

CREATE TABLE passkey (
  id uuid NOT NULL,
  member_id uuid NOT NULL,
  credential_id text NOT NULL,
  public_key bytea NOT NULL,
  counter bigint NOT NULL,
  transports text[] DEFAULT '{}'::text[] NOT NULL,
  name text NOT NULL,
  backed_up boolean NOT NULL,
  created_at TIMESTAMPTZ(3) DEFAULT CURRENT_TIMESTAMP NOT NULL,
  last_used_at TIMESTAMPTZ(3),
  CONSTRAINT passkey_pkey PRIMARY KEY (id)
);
CREATE UNIQUE INDEX passkey_credential_id_key ON passkey (credential_id);
CREATE INDEX passkey_member_id_idx ON passkey (member_id);

CREATE TABLE passkey_challenge (
  challenge text NOT NULL,
  browser_digest bytea NOT NULL,
  purpose text NOT NULL,
  member_id uuid,
  expires_at TIMESTAMPTZ(3) NOT NULL,
  used_at TIMESTAMPTZ(3),
  CONSTRAINT passkey_challenge_pkey PRIMARY KEY (challenge)
);
CREATE INDEX passkey_challenge_expires_at_idx ON passkey_challenge (expires_at);

CREATE TABLE challenge (
  nonce text NOT NULL,
  browser_digest bytea NOT NULL,
  address text NOT NULL,
  chain_id bigint NOT NULL,
  message text NOT NULL,
  issued_at TIMESTAMPTZ(3) DEFAULT CURRENT_TIMESTAMP NOT NULL,
  expires_at TIMESTAMPTZ(3) NOT NULL,
  used_at TIMESTAMPTZ(3),
  purpose text DEFAULT 'sign-in'::text NOT NULL,
  CONSTRAINT challenge_pkey PRIMARY KEY (nonce)
);
CREATE INDEX challenge_expires_at_idx ON challenge (expires_at);

CREATE TABLE code_request (
  user_uuid uuid NOT NULL,
  sent_at TIMESTAMPTZ(3) NOT NULL,
  browser_digest bytea NOT NULL,
  wrong_guesses integer DEFAULT 0 NOT NULL,
  address_id uuid NOT NULL,
  CONSTRAINT code_request_pkey PRIMARY KEY (address_id, browser_digest)
);
CREATE INDEX code_request_sent_at_idx ON code_request (sent_at);
CREATE INDEX code_request_user_uuid_idx ON code_request (user_uuid);

CREATE TABLE known_browser (
  user_uuid uuid NOT NULL,
  browser_digest bytea NOT NULL,
  seen_at TIMESTAMPTZ(3) DEFAULT CURRENT_TIMESTAMP NOT NULL,
  CONSTRAINT known_browser_pkey PRIMARY KEY (user_uuid, browser_digest)
);
CREATE INDEX known_browser_seen_at_idx ON known_browser (seen_at);

CREATE TABLE sign_up (
  user_uuid uuid NOT NULL,
  browser_digest bytea NOT NULL,
  target_address text,
  wallet_state text,
  at TIMESTAMPTZ(3) DEFAULT CURRENT_TIMESTAMP NOT NULL,
  decided_at TIMESTAMPTZ(3),
  CONSTRAINT sign_up_wallet CHECK (((target_address IS NULL) = (wallet_state IS NULL))),
  CONSTRAINT sign_up_pkey PRIMARY KEY (user_uuid)
);

CREATE TABLE sign_up_attempt (
  id uuid NOT NULL,
  browser_digest bytea NOT NULL,
  target_address text NOT NULL,
  at TIMESTAMPTZ(3) DEFAULT CURRENT_TIMESTAMP NOT NULL,
  CONSTRAINT sign_up_attempt_pkey PRIMARY KEY (id)
);
CREATE INDEX sign_up_attempt_wallet ON sign_up_attempt (lower(target_address));

CREATE TABLE stranger_alarm (
  user_uuid uuid NOT NULL,
  day date NOT NULL,
  at TIMESTAMPTZ(3) DEFAULT CURRENT_TIMESTAMP NOT NULL,
  seen_at TIMESTAMPTZ(3),
  CONSTRAINT stranger_alarm_pkey PRIMARY KEY (user_uuid, day)
);
CREATE INDEX stranger_alarm_at_idx ON stranger_alarm (at);

CREATE TABLE sso_attempt (
  state_digest bytea NOT NULL,
  browser_digest bytea NOT NULL,
  nonce text NOT NULL,
  code_verifier text NOT NULL,
  next text,
  expires_at TIMESTAMPTZ(3) NOT NULL,
  proof_since TIMESTAMPTZ(3),
  tested_by text,
  another boolean DEFAULT false NOT NULL,
  is_last boolean DEFAULT false NOT NULL,
  CONSTRAINT sso_attempt_pkey PRIMARY KEY (state_digest)
);
CREATE INDEX sso_attempt_expires_at_idx ON sso_attempt (expires_at);

CREATE TABLE sso_report (
  slot text NOT NULL,
  at TIMESTAMPTZ(3) NOT NULL,
  person text,
  report jsonb NOT NULL,
  CONSTRAINT sso_report_pkey PRIMARY KEY (slot)
);
CREATE INDEX sso_report_at_idx ON sso_report (at);

CREATE TABLE rate_limit (
  key character varying(255) NOT NULL,
  points integer DEFAULT 0 NOT NULL,
  expire bigint,
  CONSTRAINT rate_limit_pkey PRIMARY KEY (key)
);
CREATE INDEX rate_limit_expire_idx ON rate_limit (expire);

CREATE TABLE person (
  user_uuid uuid NOT NULL,
  email text,
  email_key text,
  target_address text,
  first_name text,
  last_name text,
  country text,
  status text,
  source text NOT NULL,
  created_at TIMESTAMPTZ(3) DEFAULT CURRENT_TIMESTAMP NOT NULL,
  updated_at TIMESTAMPTZ(3) DEFAULT CURRENT_TIMESTAMP NOT NULL,
  customer_number text,
  customer_number_key text,
  linked_corporates uuid[],
  CONSTRAINT person_pkey PRIMARY KEY (user_uuid)
);
CREATE INDEX person_created_at_user_uuid_idx ON person (created_at DESC, user_uuid DESC);
CREATE INDEX person_customer_number_key_idx ON person (customer_number_key);
CREATE INDEX person_email_key_idx ON person (email_key);
CREATE INDEX person_linked_corporates_idx ON person USING gin (linked_corporates);

CREATE TABLE person_term (
  term text NOT NULL COLLATE pg_catalog."C",
  user_uuid uuid NOT NULL,
  CONSTRAINT person_term_pkey PRIMARY KEY (term, user_uuid)
);
CREATE INDEX person_term_user_uuid_idx ON person_term (user_uuid);

CREATE FUNCTION notify_member_changed() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
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

CREATE FUNCTION notify_session_ended() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
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

CREATE TRIGGER member_changed AFTER INSERT OR DELETE OR UPDATE OF user_uuid, role, removed_at ON member FOR EACH ROW EXECUTE FUNCTION notify_member_changed();
CREATE TRIGGER session_deleted AFTER DELETE ON session FOR EACH ROW WHEN (((old.ended_at IS NULL) AND (old.expires_at > clock_timestamp()))) EXECUTE FUNCTION notify_session_ended();
CREATE TRIGGER session_ended AFTER UPDATE OF ended_at ON session FOR EACH ROW WHEN (((old.ended_at IS NULL) AND (new.ended_at IS NOT NULL))) EXECUTE FUNCTION notify_session_ended();
