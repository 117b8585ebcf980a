CREATE TABLE alert (
  id uuid NOT NULL,
  condition text NOT NULL,
  subject text NOT NULL,
  value double precision NOT NULL,
  worst double precision NOT NULL,
  threshold double precision NOT NULL,
  began_at TIMESTAMPTZ(3) NOT NULL,
  fired_at TIMESTAMPTZ(3) DEFAULT CURRENT_TIMESTAMP NOT NULL,
  notified_at TIMESTAMPTZ(3) DEFAULT CURRENT_TIMESTAMP NOT NULL,
  ok_since TIMESTAMPTZ(3),
  resolved_at TIMESTAMPTZ(3),
  acknowledged_at TIMESTAMPTZ(3),
  acknowledged_by text,
  CONSTRAINT alert_pkey PRIMARY KEY (id)
);
CREATE UNIQUE INDEX alert_firing_key ON alert (condition, subject) WHERE (resolved_at IS NULL);
CREATE INDEX alert_resolved_at_idx ON alert (resolved_at);

CREATE TABLE alert_rule (
  condition text NOT NULL,
  enabled boolean NOT NULL,
  threshold double precision NOT NULL,
  channels uuid[],
  repeat_hours integer NOT NULL,
  updated_at TIMESTAMPTZ(3) DEFAULT CURRENT_TIMESTAMP NOT NULL,
  CONSTRAINT alert_rule_pkey PRIMARY KEY (condition)
);

CREATE TABLE alert_channel (
  id uuid NOT NULL,
  kind text NOT NULL,
  name text NOT NULL,
  enabled boolean DEFAULT true NOT NULL,
  place text NOT NULL,
  sealed bytea NOT NULL,
  key_id text NOT NULL,
  quiet jsonb,
  created_at TIMESTAMPTZ(3) DEFAULT CURRENT_TIMESTAMP NOT NULL,
  called_at TIMESTAMPTZ(3),
  answered_at TIMESTAMPTZ(3),
  fault text,
  CONSTRAINT alert_channel_pkey PRIMARY KEY (id)
);

CREATE TABLE alert_member (
  member_id uuid NOT NULL,
  receives text NOT NULL,
  quiet jsonb,
  updated_at TIMESTAMPTZ(3) DEFAULT CURRENT_TIMESTAMP NOT NULL,
  CONSTRAINT alert_member_pkey PRIMARY KEY (member_id)
);

CREATE TABLE alert_news (
  id uuid NOT NULL,
  alert_id uuid NOT NULL,
  change text NOT NULL,
  channel_id uuid NOT NULL,
  member_id uuid,
  at TIMESTAMPTZ(3) DEFAULT CURRENT_TIMESTAMP NOT NULL,
  due_at TIMESTAMPTZ(3) NOT NULL,
  message_id uuid,
  CONSTRAINT alert_news_pkey PRIMARY KEY (id)
);
CREATE INDEX alert_news_alert_id_idx ON alert_news (alert_id);
CREATE INDEX alert_news_at_idx ON alert_news (at);
CREATE INDEX alert_news_message_id_idx ON alert_news (message_id);
CREATE INDEX alert_news_waiting_idx ON alert_news (due_at) WHERE (message_id IS NULL);

CREATE TABLE alert_message (
  id uuid NOT NULL,
  kind text NOT NULL,
  channel_id uuid NOT NULL,
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
  CONSTRAINT alert_message_ended_check CHECK (((state = 'waiting'::text) = (ended_at IS NULL))),
  CONSTRAINT alert_message_state_check CHECK ((state = ANY (ARRAY['waiting'::text, 'sent'::text, 'failed'::text, 'unknown'::text]))),
  CONSTRAINT alert_message_pkey PRIMARY KEY (id)
);
CREATE INDEX alert_message_ended_at_idx ON alert_message (ended_at);
CREATE INDEX alert_message_waiting_idx ON alert_message (next_at) WHERE (state = 'waiting'::text);

CREATE TABLE process_report (
  process uuid NOT NULL,
  at TIMESTAMPTZ(3) DEFAULT CURRENT_TIMESTAMP NOT NULL,
  host text NOT NULL,
  facts jsonb NOT NULL,
  CONSTRAINT process_report_pkey PRIMARY KEY (process)
);
CREATE INDEX process_report_at_idx ON process_report (at);

CREATE INDEX mail_alerts_idx ON mail USING gin (about) WHERE (kind = 'alerts'::text);
