import 'server-only'
import type pg from 'pg'
import { keepFor } from '#lib/platform/db/keep-for.ts'
import { pool } from '#lib/platform/db/pool.ts'
import { standsSince, type TransactionRow } from '#lib/timeline/tables/transaction.ts'
import { branches, ofBranch } from './branches.ts'
import { learnHourly } from './learn-hourly.ts'
import type { StuckRule } from './row-condition.ts'
import { isStuck, movingSteps, toUsualStays, type UsualStay, type UsualStays } from './rules/is-stuck.ts'
import type { TransactionMatch } from './rules/transaction-filters.ts'

/** Milliseconds for which a process keeps what it has read: it is learnt anew once an hour. */
const keptMs = 60_000

const kept = keepFor(keptMs, async () => toUsualStays((await pool().query<UsualStay>(READ, [])).rows))

/** How long transactions usually stay at each step, as `learnUsualStays` has learnt it. */
export const readUsualStays = (): Promise<UsualStays> => kept.read()

/** Answers whether a transaction is late, for staff and customers alike. */
export type StuckCheck = (row: TransactionRow) => boolean

/** The check as of now. */
export async function readStuckCheck(): Promise<StuckCheck> {
  const usual = await readUsualStays()
  const now = Date.now()
  return (row) => {
    const { direction, step, currency_fiat: currencyFiat, chain } = row
    return isStuck({ direction, step, currencyFiat, chain }, standsSince(row).getTime(), now, usual)
  }
}

/** What is stuck now, where that is asked for. */
export const readStuckRule = async ({ flags = [] }: TransactionMatch): Promise<StuckRule | null> =>
  flags.includes('stuck') ? { now: Date.now(), usual: await readUsualStays() } : null

/** The next call reads it again. */
export const forgetUsualStays = (): void => kept.forget()

const READ = `
  SELECT direction, step, NULLIF(currency_fiat, '*') AS "currencyFiat", NULLIF(chain, '*') AS chain,
         longest_ms::float8 AS ms
  FROM usual_stay`

/** Days that are learnt from, in slots of so many hours, and the transactions of each slot and direction. */
const days = 14
const hoursOfSlot = 2
const ofSlot = 20

/** A hundredth is told from the rest by no fewer. */
const fewest = 100

/**
 * Learns from transactions that came through how long each step usually takes, once an hour. It reads the same number in
 * every two hours of the last 14 days: however many there are, and however slow the last hour was.
 */
export async function learnUsualStays(pool: pg.Pool): Promise<void> {
  await learnHourly(pool, 'usual-stays', async (client) => {
    await client.query('DELETE FROM usual_stay')
    await client.query(LEARN, [movingSteps, fewest])
  })
}

const LEARN = `
  WITH RECURSIVE ${branches},
  branch AS MATERIALIZED (SELECT * FROM found WHERE step = 'SUCCESS'),
  sample AS MATERIALIZED (
    SELECT listed.* FROM branch,
      generate_series(now() - interval '${days} days', now(), interval '${hoursOfSlot} hours') AS slot (began),
      LATERAL (
        SELECT subject_id, transaction.direction, currency_fiat, chain FROM transaction
        WHERE ${ofBranch} AND last_move_at >= slot.began AND last_move_at < slot.began + interval '${hoursOfSlot} hours'
        ORDER BY last_move_at DESC LIMIT ${ofSlot}
      ) AS listed
  ), stay AS (
    SELECT direction, step, COALESCE(NULLIF(currency_fiat, '*'), '') AS currency_fiat,
           COALESCE(NULLIF(chain, '*'), '') AS chain,
           extract(epoch FROM went - came) * 1000 AS ms
    FROM sample, LATERAL (
      SELECT sub_type AS step, first_received_at AS came, placed_before,
             lead(first_received_at) OVER line AS went, lead(placed_before) OVER line AS next_placed_before
      FROM event WHERE event.subject_id = sample.subject_id AND event.type = sample.direction
      WINDOW line AS (ORDER BY position)
    ) AS moved
    WHERE step = ANY($1) AND went >= came AND placed_before IS NULL AND next_placed_before IS NULL
  )
  INSERT INTO usual_stay (direction, step, currency_fiat, chain, longest_ms, stays)
  SELECT direction, step, COALESCE(currency_fiat, '*'), COALESCE(chain, '*'),
         percentile_disc(0.99) WITHIN GROUP (ORDER BY ms), count(*)
  FROM stay
  GROUP BY GROUPING SETS ((direction, step, currency_fiat, chain), (direction, step, currency_fiat), (direction, step))
  HAVING count(*) >= $2`
