CREATE TABLE receiver (
  id uuid NOT NULL,
  endpoint_uuid uuid,
  state text NOT NULL,
  secret_digest bytea,
  secret_key_id text,
  created_at TIMESTAMPTZ(3) DEFAULT CURRENT_TIMESTAMP NOT NULL,
  updated_at TIMESTAMPTZ(3) DEFAULT CURRENT_TIMESTAMP NOT NULL,
  last_delivery_at TIMESTAMPTZ(3),
  CONSTRAINT receiver_pkey PRIMARY KEY (id)
);
CREATE INDEX receiver_endpoint_uuid_idx ON receiver (endpoint_uuid);

CREATE TABLE receiver_period (
  receiver_id uuid NOT NULL,
  began_at TIMESTAMPTZ(3) NOT NULL,
  ended_at TIMESTAMPTZ(3),
  events text[],
  last_seen_at TIMESTAMPTZ(3) DEFAULT CURRENT_TIMESTAMP NOT NULL,
  CONSTRAINT receiver_period_pkey PRIMARY KEY (receiver_id, began_at)
);

CREATE SEQUENCE delivery_seq;

CREATE TABLE delivery (
  id uuid NOT NULL,
  seq bigint DEFAULT nextval('delivery_seq'::regclass) NOT NULL,
  receiver_id uuid NOT NULL,
  received_at TIMESTAMPTZ(3) DEFAULT clock_timestamp() NOT NULL,
  body bytea NOT NULL,
  CONSTRAINT delivery_pkey PRIMARY KEY (id)
) PARTITION BY RANGE (id);

CREATE TABLE delivery_default PARTITION OF delivery DEFAULT;
CREATE INDEX delivery_receiver_id_id_idx ON delivery (receiver_id, id DESC);

CREATE TABLE delivery_pending (
  delivery_id uuid NOT NULL,
  dead_lettered_at TIMESTAMPTZ(3),
  error text,
  run uuid,
  shard smallint,
  CONSTRAINT delivery_pending_pkey PRIMARY KEY (delivery_id)
);
CREATE INDEX delivery_pending_dead_idx ON delivery_pending (delivery_id) WHERE (dead_lettered_at IS NOT NULL);
CREATE INDEX delivery_pending_run_idx ON delivery_pending (run, delivery_id) WHERE (run IS NOT NULL);

CREATE TABLE delivery_hour (
  hour timestamp(0) with time zone NOT NULL,
  deliveries integer NOT NULL,
  receiver_id uuid NOT NULL,
  CONSTRAINT delivery_hour_pkey PRIMARY KEY (receiver_id, hour)
);
CREATE INDEX delivery_hour_hour_idx ON delivery_hour (hour);

CREATE TABLE answered_request (
  id uuid NOT NULL,
  receiver_id uuid NOT NULL,
  why text,
  ms integer NOT NULL,
  CONSTRAINT answered_request_pkey PRIMARY KEY (id)
);
CREATE INDEX answered_request_refused_idx ON answered_request (receiver_id, id DESC) WHERE (why IS NOT NULL);

CREATE TABLE answer_lost (
  delivery_id uuid NOT NULL,
  cause text NOT NULL,
  noted_at TIMESTAMPTZ(3) DEFAULT CURRENT_TIMESTAMP NOT NULL,
  CONSTRAINT answer_lost_pkey PRIMARY KEY (delivery_id)
);

CREATE TABLE refusal (
  receiver_id uuid NOT NULL,
  minute timestamp(0) with time zone NOT NULL,
  why text NOT NULL,
  count integer NOT NULL,
  last_at TIMESTAMPTZ(3) NOT NULL,
  first_at TIMESTAMPTZ(3),
  CONSTRAINT refusal_pkey PRIMARY KEY (receiver_id, minute, why)
);
CREATE INDEX refusal_minute_idx ON refusal (minute);

CREATE TABLE refused_body (
  receiver_id uuid NOT NULL,
  digest bytea NOT NULL,
  at TIMESTAMPTZ(3) NOT NULL,
  CONSTRAINT refused_body_pkey PRIMARY KEY (receiver_id, digest, at)
);
CREATE INDEX refused_body_at_idx ON refused_body (at);

CREATE TABLE refused_caller (
  receiver_id uuid NOT NULL,
  hour timestamp(0) with time zone NOT NULL,
  address text NOT NULL,
  count integer NOT NULL,
  last_at TIMESTAMPTZ(3) NOT NULL,
  CONSTRAINT refused_caller_pkey PRIMARY KEY (receiver_id, hour, address)
);
CREATE INDEX refused_caller_hour_idx ON refused_caller (hour);

CREATE TABLE heartbeat (
  name text NOT NULL,
  at TIMESTAMPTZ(3) NOT NULL,
  CONSTRAINT heartbeat_pkey PRIMARY KEY (name)
);

CREATE TABLE outage (
  id uuid DEFAULT gen_random_uuid() NOT NULL,
  receiver_id uuid,
  began_at TIMESTAMPTZ(3) NOT NULL,
  ended_at TIMESTAMPTZ(3) NOT NULL,
  why text NOT NULL,
  CONSTRAINT outage_pkey PRIMARY KEY (id)
);
CREATE INDEX outage_ended_at_idx ON outage (ended_at);

CREATE FUNCTION notify_receiver_changed() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
BEGIN
  PERFORM pg_notify('receiver', COALESCE(NEW."id", OLD."id")::text);
  RETURN NULL;
END
$$;

CREATE TRIGGER receiver_changed AFTER INSERT OR DELETE OR UPDATE OF state, secret_digest, secret_key_id ON receiver FOR EACH ROW EXECUTE FUNCTION notify_receiver_changed();
