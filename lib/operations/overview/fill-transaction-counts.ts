import 'server-only'
import type pg from 'pg'
import { advisoryLocks } from '#lib/platform/db/locks.ts'
import { inTransaction } from '#lib/platform/db/in-transaction.ts'

/** Transactions that one step counts, and the pause after it in ms. */
const rowsOfStep = 2_000
const pauseMs = 20

/** Milliseconds of one call. */
const roundMs = 20_000

/**
 * Counts the transactions that were there before anybody counted, a little in each call, beside the projectors: they wait for
 * one step at most. A step that is interrupted has counted nothing.
 */
export async function fillTransactionCounts(pool: pg.Pool, rows = rowsOfStep): Promise<void> {
  const until = performance.now() + roundMs
  while ((await countSome(pool, rows)) && performance.now() < until)
    await new Promise((resolve) => setTimeout(resolve, pauseMs))
}

/** False when all are counted. */
async function countSome(pool: pg.Pool, rows: number): Promise<boolean> {
  const { rowCount } = await pool.query(UNFINISHED)
  if (rowCount === 0) return false
  return inTransaction(pool, async (client) => {
    await client.query('SELECT pg_advisory_xact_lock($1)', [advisoryLocks.transactionCountFill])
    const { rows: found } = await client.query<{ position: string }>(UNFINISHED)
    const [at] = found
    if (!at) return false
    const { rows: steps } = await client.query<{ last: string | null; count: number }>(STEP, [
      at.position,
      rows,
    ])
    const { last = null, count = 0 } = steps[0] ?? {}
    if (last !== null) await client.query(COUNT, [at.position, last])
    await client.query(ADVANCE, [last, count < rows])
    return count === rows
  })
}

const UNFINISHED = 'SELECT position FROM transaction_count_fill WHERE NOT finished'

const STEP = `
  SELECT max(subject_id) AS last, count(*)::int AS count FROM (
    SELECT subject_id FROM transaction WHERE subject_id > $1 ORDER BY subject_id LIMIT $2
  ) AS next`

const COUNT = `
  WITH own AS MATERIALIZED (SELECT take_transaction_count_slot() AS slot)
  INSERT INTO transaction_count AS known
  SELECT share.at, share.sort, of_direction, of_step, of_currency, share.pace, (SELECT slot FROM own), count(*), sum(share.sum)
  FROM transaction AS t,
    transaction_shares(started_at, finished_at, direction, step, currency_fiat, amount_fiat, details) AS share
  WHERE subject_id > $1 AND subject_id <= $2
  GROUP BY 1, 2, 3, 4, 5, 6
  ON CONFLICT (at, sort, direction, step, currency, pace, slot)
  DO UPDATE SET count = known.count + EXCLUDED.count, amount = known.amount + EXCLUDED.amount`

const ADVANCE = `
  UPDATE transaction_count_fill SET position = COALESCE($1, position), finished = $2 WHERE NOT finished`
