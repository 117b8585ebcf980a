CREATE TABLE erasure (
  id uuid NOT NULL,
  user_digest bytea NOT NULL,
  email_digest bytea,
  salt bytea NOT NULL,
  working jsonb,
  stage text NOT NULL,
  "position" text DEFAULT ''::text NOT NULL,
  subjects integer DEFAULT 0 NOT NULL,
  deliveries integer DEFAULT 0 NOT NULL,
  began_at TIMESTAMPTZ(3) DEFAULT CURRENT_TIMESTAMP NOT NULL,
  finished_at TIMESTAMPTZ(3),
  CONSTRAINT erasure_pkey PRIMARY KEY (id)
);
CREATE INDEX erasure_email_digest_idx ON erasure (email_digest);
CREATE UNIQUE INDEX erasure_user_digest_key ON erasure (user_digest);

CREATE TABLE user_import (
  id uuid NOT NULL,
  file_name text NOT NULL,
  actor text NOT NULL,
  state text NOT NULL,
  total integer NOT NULL,
  broken integer NOT NULL,
  created integer NOT NULL,
  done integer DEFAULT 0 NOT NULL,
  failed integer DEFAULT 0 NOT NULL,
  why text,
  checked_at TIMESTAMPTZ(3) DEFAULT CURRENT_TIMESTAMP NOT NULL,
  last_progress_at TIMESTAMPTZ(3) DEFAULT CURRENT_TIMESTAMP NOT NULL,
  session_id uuid,
  CONSTRAINT user_import_pkey PRIMARY KEY (id)
);
CREATE INDEX user_import_last_progress_at_idx ON user_import (last_progress_at);

CREATE TABLE user_import_row (
  import_id uuid NOT NULL,
  line integer NOT NULL,
  state text NOT NULL,
  user_uuid uuid,
  email text,
  first_name text,
  last_name text,
  country text,
  customer_number text,
  error text,
  CONSTRAINT user_import_row_pkey PRIMARY KEY (import_id, line)
);
CREATE INDEX user_import_row_email_idx ON user_import_row (lower(email)) WHERE (email IS NOT NULL);
CREATE INDEX user_import_row_open_idx ON user_import_row (import_id, line) WHERE (state = ANY (ARRAY['waiting'::text, 'sending'::text]));
CREATE INDEX user_import_row_user_uuid_idx ON user_import_row (user_uuid);

CREATE TABLE user_lookup (
  user_uuid uuid NOT NULL,
  outcome text NOT NULL,
  attempts integer DEFAULT 0 NOT NULL,
  noted_at TIMESTAMPTZ(3) DEFAULT CURRENT_TIMESTAMP NOT NULL,
  next_at TIMESTAMPTZ(3) DEFAULT CURRENT_TIMESTAMP,
  CONSTRAINT user_lookup_pkey PRIMARY KEY (user_uuid)
);
CREATE INDEX user_lookup_next_at_idx ON user_lookup (next_at);

CREATE TABLE search_link (
  id uuid NOT NULL,
  digest bytea,
  sealed bytea,
  key_id text,
  made_by text NOT NULL,
  made_at TIMESTAMPTZ(3) DEFAULT now() NOT NULL,
  place text DEFAULT 'subjects'::text NOT NULL,
  CONSTRAINT search_link_pkey PRIMARY KEY (id),
  CONSTRAINT search_link_digest_key UNIQUE (digest)
);
