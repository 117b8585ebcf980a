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

/** A process keeps the values for this many milliseconds; they are learned again once an hour. */
const keptMs = 60_000

const kept = keepFor(keptMs, async () => toUsualStays((await pool().query<UsualStay>(READ, [])).rows))

/** `learnUsualStays` learned how long transactions usually stay at each step. */
export const readUsualStays = (): Promise<UsualStays> => kept.read()

/** The check says for staff and customers alike that a transaction is late. */
export type StuckCheck = (row: TransactionRow) => boolean

/** The check uses the current time. */
export async function readStuckCheck(): Promise<StuckCheck> {
  const usual = await readUsualStays()
  const now = Date.now()
  return (row) => {
    const { direction, step, currency_fiat: currencyFiat, chain } = row
    return isStuck({ direction, step, currencyFiat, chain }, standsSince(row).getTime(), now, usual)
  }
}

/** The rule is read only when the filters ask for stuck transactions. */
export const readStuckRule = async ({ flags = [] }: TransactionMatch): Promise<StuckRule | null> =>
  flags.includes('stuck') ? { now: Date.now(), usual: await readUsualStays() } : null

/** The next call reads the values again. */
export const forgetUsualStays = (): void => kept.forget()

const READ = `
  SELECT direction, step, NULLIF(currency_fiat, '*') AS "currencyFiat", NULLIF(chain, '*') AS chain,
         longest_ms::float8 AS ms
  FROM usual_stay`

/**
 * The values are learned from this many days, in slots of some hours, with a number of transactions for each slot
 * and direction.
 */
const days = 14
const hoursOfSlot = 2
const ofSlot = 20

/** At least this many transactions are needed to find the slowest hundredth. */
const fewest = 100

/**
 * The database learns once an hour, from finished transactions, how long each step usually takes. It reads the same number
 * in every two hours of the last 14 days, however many there are, and however slow the last hour was.
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
