CREATE FUNCTION open_while(started TIMESTAMPTZ, finished TIMESTAMPTZ) RETURNS tstzrange
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    AS $$
  SELECT tstzrange(
    LEAST("started", "finished"),
    CASE WHEN "finished" IS NOT NULL THEN GREATEST("started", "finished") END,
    '[]'
  )
$$;

CREATE FUNCTION transaction_shares(started TIMESTAMPTZ, finished TIMESTAMPTZ, direction text, step text, currency text, amount numeric, details jsonb) RETURNS TABLE(at TIMESTAMPTZ, sort text, of_direction text, of_step text, of_currency text, pace smallint, sum numeric)
    LANGUAGE sql STABLE PARALLEL SAFE
    AS $_$
  SELECT date_bin('15 minutes', $1, 'epoch'), 'started', COALESCE($3, ''), COALESCE($4, ''), '', 0::smallint, 0::numeric
  WHERE $1 > now() - interval '20 days'
  UNION ALL
  SELECT 'epoch', 'open', COALESCE($3, ''), COALESCE($4, ''), '', 0::smallint, 0::numeric WHERE $2 IS NULL
  UNION ALL
  SELECT date_bin('15 minutes', $2, 'epoch'), 'finished', COALESCE($3, ''), COALESCE($4, ''), upper(upper(left(COALESCE($5, ''), 20) COLLATE "C") COLLATE "default"),
         0::smallint, CASE WHEN $4 = 'SUCCESS' THEN COALESCE($6, 0) ELSE 0 END
  WHERE $2 > now() - interval '20 days'
  UNION ALL
  SELECT date_trunc('hour', $2), 'pace', COALESCE($3, ''), '', '',
         floor(ln(GREATEST(($7 ->> 'durationSeconds')::float8, 0.1)) / ln(1.1::float8))::smallint, 0::numeric
  WHERE $4 = 'SUCCESS' AND $2 > now() - interval '20 days' AND $7 ? 'durationSeconds'
$_$;

CREATE FUNCTION take_transaction_count_slot() RETURNS smallint
    LANGUAGE plpgsql
    AS $$
DECLARE
  "free" INTEGER := 0;
BEGIN
  WHILE NOT pg_try_advisory_xact_lock(7247020, "free") LOOP
    "free" := "free" + 1;
  END LOOP;
  RETURN "free";
END
$$;

CREATE TABLE event (
  subject_id text NOT NULL,
  id uuid NOT NULL,
  fingerprint bytea NOT NULL,
  type text,
  sub_type text,
  status text,
  entity_uuid text,
  "position" integer NOT NULL,
  rank smallint,
  deliveries integer NOT NULL,
  first_received_at TIMESTAMPTZ(3) NOT NULL,
  last_received_at TIMESTAMPTZ(3) NOT NULL,
  placed_before TIMESTAMPTZ(3),
  flags text[],
  unreadable text,
  envelope bytea,
  came_again_id uuid,
  came_again_at TIMESTAMPTZ(3),
  body_left_at TIMESTAMPTZ(3),
  CONSTRAINT event_pkey PRIMARY KEY (subject_id, id)
);
CREATE INDEX event_came_again_id_idx ON event (came_again_id DESC) WHERE (came_again_id IS NOT NULL);
CREATE INDEX event_entity_uuid_id_idx ON event (entity_uuid, id DESC);
CREATE INDEX event_failed_account_idx ON event (id) WHERE ((type = ANY (ARRAY['unblockBankAccount'::text, 'linkedBankAccountProfile'::text, 'linkBankAccount'::text])) AND (status = ANY (ARRAY['FAILED'::text, 'FAILED_CREATION'::text])));
CREATE INDEX event_id_idx ON event (id DESC);
CREATE INDEX event_type_id_idx ON event (type, id DESC);

CREATE TABLE event_delivery (
  subject_id text NOT NULL,
  delivery_id uuid NOT NULL,
  event_id uuid NOT NULL,
  seq bigint NOT NULL,
  received_at TIMESTAMPTZ(3) NOT NULL,
  receiver_id uuid NOT NULL,
  answer text NOT NULL,
  reason jsonb NOT NULL,
  others smallint,
  evidence jsonb,
  CONSTRAINT event_delivery_pkey PRIMARY KEY (subject_id, delivery_id)
);
CREATE INDEX event_delivery_delivery_id_idx ON event_delivery (delivery_id);

CREATE TABLE identifier (
  subject_id text NOT NULL,
  value text NOT NULL COLLATE pg_catalog."C",
  started_at TIMESTAMPTZ(3) NOT NULL
);
CREATE INDEX identifier_reverse_value_idx ON identifier (reverse(value));
CREATE INDEX identifier_subject_id_idx ON identifier (subject_id);
CREATE INDEX identifier_value_started_at_idx ON identifier (value, started_at);
ALTER TABLE identifier ALTER COLUMN value SET (n_distinct=-0.001);
ALTER TABLE identifier REPLICA IDENTITY FULL;

CREATE TABLE standing (
  subject_id text NOT NULL,
  type text NOT NULL,
  state text,
  event_id uuid NOT NULL,
  currency text,
  entity_uuid text,
  started_at TIMESTAMPTZ(3) NOT NULL,
  last_move_at TIMESTAMPTZ(3) NOT NULL,
  CONSTRAINT standing_pkey PRIMARY KEY (subject_id, type)
);
CREATE INDEX standing_entity_uuid_last_move_at_idx ON standing (entity_uuid, last_move_at DESC);
CREATE INDEX standing_type_currency_last_move_at_idx ON standing (type, currency, last_move_at DESC);
CREATE INDEX standing_type_last_move_at_idx ON standing (type, last_move_at DESC);
CREATE INDEX standing_type_state_currency_last_move_at_idx ON standing (type, state, currency, last_move_at DESC);
CREATE INDEX standing_type_state_last_move_at_idx ON standing (type, state, last_move_at DESC);

CREATE TABLE transaction (
  subject_id text NOT NULL,
  uuid text NOT NULL,
  direction text,
  step text,
  reason text,
  amount_fiat numeric,
  amount_crypto numeric,
  amount_refunded numeric,
  fees numeric,
  limit_amount numeric,
  currency_fiat text,
  currency_crypto text,
  chain text,
  transaction_hash text,
  user_uuid text,
  details jsonb DEFAULT '{}'::jsonb NOT NULL,
  flags text[],
  started_at TIMESTAMPTZ(3) NOT NULL,
  last_move_at TIMESTAMPTZ(3) NOT NULL,
  finished_at TIMESTAMPTZ(3),
  step_began_at TIMESTAMPTZ(3),
  CONSTRAINT transaction_pkey PRIMARY KEY (subject_id)
);
CREATE INDEX transaction_amount_crypto_idx ON transaction (amount_crypto, started_at DESC) WHERE (amount_crypto IS NOT NULL);
CREATE INDEX transaction_amount_refunded_idx ON transaction (amount_refunded, started_at DESC) WHERE (amount_refunded IS NOT NULL);
CREATE INDEX transaction_branch_amount_idx ON transaction (COALESCE(direction, ''::text), COALESCE(step, ''::text), COALESCE(amount_fiat, '-Infinity'::numeric) DESC, started_at DESC);
CREATE INDEX transaction_branch_last_move_at_idx ON transaction (COALESCE(direction, ''::text), COALESCE(step, ''::text), last_move_at DESC);
CREATE INDEX transaction_branch_started_at_idx ON transaction (COALESCE(direction, ''::text), COALESCE(step, ''::text), started_at DESC);
CREATE INDEX transaction_conflict_idx ON transaction (last_move_at) WHERE ('conflict'::text = ANY (flags));
CREATE INDEX transaction_finished_while_idx ON transaction USING gist (open_while(started_at, finished_at)) WHERE (finished_at IS NOT NULL);
CREATE INDEX transaction_open_idx ON transaction (started_at) WHERE (finished_at IS NULL);
CREATE INDEX transaction_step_began_at_idx ON transaction (COALESCE(direction, ''::text), COALESCE(step, ''::text), step_began_at DESC) WHERE (step_began_at IS NOT NULL);
CREATE INDEX transaction_user_uuid_started_at_idx ON transaction (user_uuid, started_at DESC);

CREATE TABLE transaction_count (
  at TIMESTAMPTZ(3) NOT NULL,
  sort text NOT NULL,
  direction text NOT NULL,
  step text NOT NULL,
  currency text NOT NULL,
  pace smallint NOT NULL,
  slot smallint NOT NULL,
  count bigint NOT NULL,
  amount numeric NOT NULL,
  CONSTRAINT transaction_count_pkey PRIMARY KEY (at, sort, direction, step, currency, pace, slot)
);

CREATE TABLE transaction_note (
  subject_id text NOT NULL,
  id uuid NOT NULL,
  text text NOT NULL,
  ticket text,
  author text NOT NULL,
  written_at TIMESTAMPTZ(3) DEFAULT CURRENT_TIMESTAMP NOT NULL,
  changed_at TIMESTAMPTZ(3),
  CONSTRAINT transaction_note_pkey PRIMARY KEY (subject_id, id)
);
CREATE INDEX transaction_note_written_at_idx ON transaction_note (written_at);

CREATE TABLE usual_next (
  direction text NOT NULL,
  step text NOT NULL,
  reason text NOT NULL,
  next text NOT NULL,
  moves integer NOT NULL,
  half_ms bigint,
  CONSTRAINT usual_next_pkey PRIMARY KEY (direction, step, reason, next)
);

CREATE TABLE usual_stay (
  direction text NOT NULL,
  step text NOT NULL,
  currency_fiat text NOT NULL,
  chain text NOT NULL,
  longest_ms bigint NOT NULL,
  stays integer NOT NULL,
  CONSTRAINT usual_stay_pkey PRIMARY KEY (direction, step, currency_fiat, chain)
);

CREATE TABLE rebuild (
  id uuid NOT NULL,
  rules_version integer NOT NULL,
  total bigint NOT NULL,
  began_at TIMESTAMPTZ(3) DEFAULT CURRENT_TIMESTAMP NOT NULL,
  finished_at TIMESTAMPTZ(3),
  CONSTRAINT rebuild_pkey PRIMARY KEY (id)
);
CREATE UNIQUE INDEX rebuild_unfinished_idx ON rebuild (((finished_at IS NULL))) WHERE (finished_at IS NULL);

CREATE TABLE rebuild_part (
  rebuild_id uuid NOT NULL,
  part smallint NOT NULL,
  cursor text DEFAULT ''::text NOT NULL,
  done bigint DEFAULT 0 NOT NULL,
  finished boolean DEFAULT false NOT NULL,
  kept bigint DEFAULT 0 NOT NULL,
  CONSTRAINT rebuild_part_pkey PRIMARY KEY (rebuild_id, part)
);

CREATE FUNCTION count_transactions() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
DECLARE
  "own_slot" SMALLINT := take_transaction_count_slot();
BEGIN
  IF TG_OP = 'INSERT' THEN
    INSERT INTO "transaction_count" AS "known"
    SELECT s."at", s."sort", s."of_direction", s."of_step", s."of_currency", s."pace", "own_slot", count(*), sum(s."sum")
    FROM "new_rows" t,
      transaction_shares(t."started_at", t."finished_at", t."direction", t."step", t."currency_fiat", t."amount_fiat", t."details") s
    GROUP BY 1, 2, 3, 4, 5, 6
    ON CONFLICT ("at", "sort", "direction", "step", "currency", "pace", "slot")
    DO UPDATE SET "count" = "known"."count" + EXCLUDED."count", "amount" = "known"."amount" + EXCLUDED."amount";
  ELSIF TG_OP = 'DELETE' THEN
    INSERT INTO "transaction_count" AS "known"
    SELECT s."at", s."sort", s."of_direction", s."of_step", s."of_currency", s."pace", "own_slot", -count(*), -sum(s."sum")
    FROM "old_rows" t,
      transaction_shares(t."started_at", t."finished_at", t."direction", t."step", t."currency_fiat", t."amount_fiat", t."details") s
    GROUP BY 1, 2, 3, 4, 5, 6
    ON CONFLICT ("at", "sort", "direction", "step", "currency", "pace", "slot")
    DO UPDATE SET "count" = "known"."count" + EXCLUDED."count", "amount" = "known"."amount" + EXCLUDED."amount";
  ELSE
    INSERT INTO "transaction_count" AS "known"
    SELECT s."at", s."sort", s."of_direction", s."of_step", s."of_currency", s."pace", "own_slot", sum(t."sign"), sum(t."sign" * s."sum")
    FROM (
      SELECT 1 AS "sign", * FROM "new_rows" UNION ALL SELECT -1, * FROM "old_rows"
    ) t,
      transaction_shares(t."started_at", t."finished_at", t."direction", t."step", t."currency_fiat", t."amount_fiat", t."details") s
    GROUP BY 1, 2, 3, 4, 5, 6
    HAVING sum(t."sign") <> 0 OR sum(t."sign" * s."sum") <> 0
    ON CONFLICT ("at", "sort", "direction", "step", "currency", "pace", "slot")
    DO UPDATE SET "count" = "known"."count" + EXCLUDED."count", "amount" = "known"."amount" + EXCLUDED."amount";
  END IF;
  RETURN NULL;
END
$$;

CREATE FUNCTION event_body(event_id uuid, kept bytea) RETURNS bytea
    LANGUAGE sql STABLE PARALLEL SAFE
    AS $$
  SELECT coalesce(kept, (SELECT body FROM delivery WHERE delivery.id = event_id))
$$;

CREATE FUNCTION keep_body() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
BEGIN
  UPDATE event SET envelope = OLD.body
  WHERE id = OLD.id AND envelope IS NULL AND NOT EXISTS (SELECT FROM delivery WHERE delivery.id = OLD.id);
  RETURN NULL;
END
$$;

CREATE TRIGGER count_deleted AFTER DELETE ON transaction REFERENCING OLD TABLE AS old_rows FOR EACH STATEMENT EXECUTE FUNCTION count_transactions();
CREATE TRIGGER count_inserted AFTER INSERT ON transaction REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION count_transactions();
CREATE TRIGGER count_updated AFTER UPDATE ON transaction REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION count_transactions();
