-- How many transactions started, finished and are open, counted with every change of their rows. Decision 0071.

-- A row for each quarter of an hour, or hour for 'pace', and whatever is told apart. Sums over all slots are the counts: a writer
-- takes a slot of its own for its transaction, so that no two write one row.
CREATE TABLE "transaction_count" (
    "at" TIMESTAMPTZ(3) NOT NULL,
    "sort" TEXT NOT NULL,
    "direction" TEXT NOT NULL,
    "step" TEXT NOT NULL,
    "currency" TEXT NOT NULL,
    "pace" SMALLINT NOT NULL,
    "slot" SMALLINT NOT NULL,
    "count" BIGINT NOT NULL,
    "amount" DECIMAL NOT NULL,

    CONSTRAINT "transaction_count_pkey" PRIMARY KEY ("at", "sort", "direction", "step", "currency", "pace", "slot")
);

-- Transactions of before this migration are counted in the order of their key: those up to "position" are.
CREATE TABLE "transaction_count_fill" (
    "id" INTEGER NOT NULL,
    "position" TEXT NOT NULL,
    "finished" BOOLEAN NOT NULL,

    CONSTRAINT "transaction_count_fill_pkey" PRIMARY KEY ("id")
);

-- What one transaction counts for. What lies further back than any figure is not counted, but whether it is open.
CREATE FUNCTION "transaction_shares"(
  "started" TIMESTAMPTZ, "finished" TIMESTAMPTZ, "direction" TEXT, "step" TEXT, "currency" TEXT, "amount" NUMERIC, "details" JSONB
) RETURNS TABLE ("at" TIMESTAMPTZ, "sort" TEXT, "of_direction" TEXT, "of_step" TEXT, "of_currency" TEXT, "pace" SMALLINT, "sum" NUMERIC)
LANGUAGE sql STABLE PARALLEL SAFE AS $$
  SELECT date_bin('15 minutes', $1, 'epoch'), 'started', COALESCE($3, ''), COALESCE($4, ''), '', 0::smallint, 0::numeric
  WHERE $1 > now() - interval '20 days'
  UNION ALL
  SELECT 'epoch', 'open', COALESCE($3, ''), COALESCE($4, ''), '', 0::smallint, 0::numeric WHERE $2 IS NULL
  UNION ALL
  SELECT date_bin('15 minutes', $2, 'epoch'), 'finished', COALESCE($3, ''), COALESCE($4, ''), upper(left(COALESCE($5, ''), 20)),
         0::smallint, CASE WHEN $4 = 'SUCCESS' THEN COALESCE($6, 0) ELSE 0 END
  WHERE $2 > now() - interval '20 days'
  UNION ALL
  SELECT date_trunc('hour', $2), 'pace', COALESCE($3, ''), '', '',
         floor(ln(GREATEST(($7 ->> 'durationSeconds')::float8, 0.1)) / ln(1.1::float8))::smallint, 0::numeric
  WHERE $4 = 'SUCCESS' AND $2 > now() - interval '20 days' AND $7 ? 'durationSeconds'
$$;

-- The smallest slot that nobody else writes; it is one's own until the transaction ends.
CREATE FUNCTION "take_transaction_count_slot"() RETURNS SMALLINT LANGUAGE plpgsql AS $$
DECLARE
  "free" INTEGER := 0;
BEGIN
  WHILE NOT pg_try_advisory_xact_lock(7247020, "free") LOOP
    "free" := "free" + 1;
  END LOOP;
  RETURN "free";
END
$$;

-- What changed rows count for now, less what they counted for. While those of before wait to be counted for the first time, whoever
-- counts has a shared lock, and the fill an exclusive one: no row is counted twice, and none is passed.
CREATE FUNCTION "count_transactions"() RETURNS TRIGGER LANGUAGE plpgsql AS $$
DECLARE
  "up_to" TEXT;
  "own_slot" SMALLINT := take_transaction_count_slot();
BEGIN
  IF EXISTS (SELECT FROM "transaction_count_fill" WHERE NOT "finished") THEN
    PERFORM pg_advisory_xact_lock_shared(7247021);
    SELECT "position" INTO "up_to" FROM "transaction_count_fill" WHERE NOT "finished";
  END IF;
  IF TG_OP = 'INSERT' THEN
    INSERT INTO "transaction_count" AS "known"
    SELECT s."at", s."sort", s."of_direction", s."of_step", s."of_currency", s."pace", "own_slot", count(*), sum(s."sum")
    FROM "new_rows" t,
      transaction_shares(t."started_at", t."finished_at", t."direction", t."step", t."currency_fiat", t."amount_fiat", t."details") s
    WHERE "up_to" IS NULL OR t."subject_id" <= "up_to"
    GROUP BY 1, 2, 3, 4, 5, 6
    ON CONFLICT ("at", "sort", "direction", "step", "currency", "pace", "slot")
    DO UPDATE SET "count" = "known"."count" + EXCLUDED."count", "amount" = "known"."amount" + EXCLUDED."amount";
  ELSIF TG_OP = 'DELETE' THEN
    INSERT INTO "transaction_count" AS "known"
    SELECT s."at", s."sort", s."of_direction", s."of_step", s."of_currency", s."pace", "own_slot", -count(*), -sum(s."sum")
    FROM "old_rows" t,
      transaction_shares(t."started_at", t."finished_at", t."direction", t."step", t."currency_fiat", t."amount_fiat", t."details") s
    WHERE "up_to" IS NULL OR t."subject_id" <= "up_to"
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
    WHERE "up_to" IS NULL OR t."subject_id" <= "up_to"
    GROUP BY 1, 2, 3, 4, 5, 6
    HAVING sum(t."sign") <> 0 OR sum(t."sign" * s."sum") <> 0
    ON CONFLICT ("at", "sort", "direction", "step", "currency", "pace", "slot")
    DO UPDATE SET "count" = "known"."count" + EXCLUDED."count", "amount" = "known"."amount" + EXCLUDED."amount";
  END IF;
  RETURN NULL;
END
$$;

CREATE TRIGGER "count_inserted" AFTER INSERT ON "transaction" REFERENCING NEW TABLE AS "new_rows"
  FOR EACH STATEMENT EXECUTE FUNCTION "count_transactions"();
CREATE TRIGGER "count_updated" AFTER UPDATE ON "transaction" REFERENCING OLD TABLE AS "old_rows" NEW TABLE AS "new_rows"
  FOR EACH STATEMENT EXECUTE FUNCTION "count_transactions"();
CREATE TRIGGER "count_deleted" AFTER DELETE ON "transaction" REFERENCING OLD TABLE AS "old_rows"
  FOR EACH STATEMENT EXECUTE FUNCTION "count_transactions"();

INSERT INTO "transaction_count_fill" SELECT 1, '', NOT EXISTS (SELECT FROM "transaction");
