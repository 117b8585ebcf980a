CREATE TABLE setting (
  key text NOT NULL,
  value jsonb NOT NULL,
  updated_at TIMESTAMPTZ(3) DEFAULT CURRENT_TIMESTAMP NOT NULL,
  CONSTRAINT setting_pkey PRIMARY KEY (key)
);

CREATE TABLE lease (
  name text NOT NULL,
  holder uuid NOT NULL,
  epoch bigint NOT NULL,
  expires_at TIMESTAMPTZ(3) NOT NULL,
  CONSTRAINT lease_pkey PRIMARY KEY (name)
);

CREATE TABLE overview_mute (
  kind text NOT NULL,
  about text NOT NULL,
  note text NOT NULL,
  muted_by text NOT NULL,
  muted_at TIMESTAMPTZ(3) DEFAULT CURRENT_TIMESTAMP NOT NULL,
  covers_until TIMESTAMPTZ(3) NOT NULL,
  CONSTRAINT overview_mute_pkey PRIMARY KEY (kind, about)
);
CREATE INDEX overview_mute_muted_at_idx ON overview_mute (muted_at);

CREATE FUNCTION notify_status_changed() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
BEGIN
  PERFORM pg_notify('status_changed', '');
  RETURN NULL;
END $$;

CREATE TRIGGER service_state_changed AFTER UPDATE ON setting FOR EACH ROW WHEN (((old.key = 'service-state'::text) AND ((old.value -> 'look'::text) IS DISTINCT FROM (new.value -> 'look'::text)))) EXECUTE FUNCTION notify_status_changed();
CREATE TRIGGER keep_body AFTER DELETE ON delivery FOR EACH ROW EXECUTE FUNCTION keep_body();
CREATE TRIGGER gap_changed AFTER INSERT OR DELETE OR UPDATE ON gap FOR EACH STATEMENT EXECUTE FUNCTION notify_status_changed();
