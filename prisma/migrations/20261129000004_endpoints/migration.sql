CREATE TABLE watched_endpoint (
  endpoint_uuid uuid NOT NULL,
  receiver_id uuid NOT NULL,
  name text NOT NULL,
  status text NOT NULL,
  last_active_at TIMESTAMPTZ(3),
  events text[],
  events_changed_at TIMESTAMPTZ(3),
  CONSTRAINT watched_endpoint_pkey PRIMARY KEY (endpoint_uuid)
);

CREATE TABLE endpoint_state (
  endpoint_uuid uuid NOT NULL,
  seen_from TIMESTAMPTZ(3) NOT NULL,
  seen_until TIMESTAMPTZ(3) NOT NULL,
  status text NOT NULL,
  name text,
  CONSTRAINT endpoint_state_pkey PRIMARY KEY (endpoint_uuid, seen_from)
);

CREATE TABLE endpoint_status_change (
  id uuid NOT NULL,
  endpoint_uuid uuid NOT NULL,
  status text NOT NULL,
  asked_at TIMESTAMPTZ(3) DEFAULT CURRENT_TIMESTAMP NOT NULL,
  settled_at TIMESTAMPTZ(3),
  outcome text,
  CONSTRAINT endpoint_status_change_pkey PRIMARY KEY (id)
);
CREATE INDEX endpoint_status_change_asked_at_idx ON endpoint_status_change (asked_at);

CREATE TABLE endpoint_person (
  endpoint_uuid uuid NOT NULL,
  person text NOT NULL,
  what text NOT NULL,
  at TIMESTAMPTZ(3) DEFAULT CURRENT_TIMESTAMP NOT NULL,
  ended_at TIMESTAMPTZ(3),
  CONSTRAINT endpoint_person_pkey PRIMARY KEY (endpoint_uuid, person, what)
);
CREATE INDEX endpoint_person_person_idx ON endpoint_person (person);

CREATE TABLE secret_handoff (
  id uuid NOT NULL,
  endpoint_uuid uuid,
  url text,
  description text,
  known_endpoints uuid[],
  replaces uuid,
  state text NOT NULL,
  updated_at TIMESTAMPTZ(3) DEFAULT CURRENT_TIMESTAMP NOT NULL,
  CONSTRAINT secret_handoff_pkey PRIMARY KEY (id)
);
CREATE UNIQUE INDEX secret_handoff_endpoint_uuid_key ON secret_handoff (endpoint_uuid);
CREATE INDEX secret_handoff_replaces_idx ON secret_handoff (replaces);

CREATE TABLE gap (
  id uuid NOT NULL,
  kind text NOT NULL,
  about text NOT NULL,
  began_at TIMESTAMPTZ(3) NOT NULL,
  ended_at TIMESTAMPTZ(3),
  note text,
  outcome text,
  reason text,
  closed_by text,
  closed_at TIMESTAMPTZ(3),
  CONSTRAINT gap_pkey PRIMARY KEY (id)
);
CREATE INDEX gap_began_at_id_idx ON gap (began_at DESC, id DESC);
CREATE INDEX gap_kind_ended_at_idx ON gap (kind, ended_at);

CREATE TABLE replay (
  id uuid NOT NULL,
  kind text NOT NULL,
  address text,
  filter jsonb NOT NULL,
  pace integer NOT NULL,
  reason text NOT NULL,
  actor text NOT NULL,
  total integer NOT NULL,
  done integer DEFAULT 0 NOT NULL,
  failed integer DEFAULT 0 NOT NULL,
  "position" bigint DEFAULT 0 NOT NULL,
  state text NOT NULL,
  started_at TIMESTAMPTZ(3) DEFAULT CURRENT_TIMESTAMP NOT NULL,
  last_progress_at TIMESTAMPTZ(3) DEFAULT CURRENT_TIMESTAMP NOT NULL,
  session_id uuid,
  CONSTRAINT replay_pkey PRIMARY KEY (id)
);

CREATE TABLE replay_delivery (
  replay_id uuid NOT NULL,
  seq bigint NOT NULL,
  delivery_id uuid NOT NULL,
  at TIMESTAMPTZ(3),
  status integer,
  ms integer,
  error text,
  CONSTRAINT replay_delivery_pkey PRIMARY KEY (replay_id, seq)
);

CREATE TABLE key_fault (
  process uuid NOT NULL,
  key_id text NOT NULL,
  kind text NOT NULL,
  since TIMESTAMPTZ(3) DEFAULT CURRENT_TIMESTAMP NOT NULL,
  CONSTRAINT key_fault_pkey PRIMARY KEY (process, key_id)
);

CREATE TABLE share_token (
  id uuid NOT NULL,
  user_uuid uuid NOT NULL,
  person text NOT NULL,
  at TIMESTAMPTZ(3) DEFAULT CURRENT_TIMESTAMP NOT NULL,
  CONSTRAINT share_token_pkey PRIMARY KEY (id)
);
CREATE INDEX share_token_person_idx ON share_token (person);
CREATE INDEX share_token_user_uuid_idx ON share_token (user_uuid);
