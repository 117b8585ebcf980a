-- The same function, but for the upper case of a currency: the language of a Turkish database made "fil" to "FİL", which nobody looks for.
CREATE OR REPLACE FUNCTION "transaction_shares"(
  "started" TIMESTAMPTZ, "finished" TIMESTAMPTZ, "direction" TEXT, "step" TEXT, "currency" TEXT, "amount" NUMERIC, "details" JSONB
) RETURNS TABLE ("at" TIMESTAMPTZ, "sort" TEXT, "of_direction" TEXT, "of_step" TEXT, "of_currency" TEXT, "pace" SMALLINT, "sum" NUMERIC)
LANGUAGE sql STABLE PARALLEL SAFE AS $$
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
$$;
