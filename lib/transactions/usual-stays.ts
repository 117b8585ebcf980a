import 'server-only'
import type pg from 'pg'
import { directions } from '#lib/deliveries/rules/steps.ts'
import { keepFor } from '#lib/platform/db/keep-for.ts'
import { planOnce } from '#lib/platform/db/plan-once.ts'
import { pool } from '#lib/platform/db/pool.ts'
import { standsSince, type TransactionRow } from '#lib/timeline/tables/transaction.ts'
import { directionIs, unionAll } from './index-conditions.ts'
import { learnHourly, rowsOfSlot, slots } from './learn-hourly.ts'
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

/** At least this many transactions are needed to find the slowest hundredth. */
const fewest = 100

/**
 * The database learns once an hour, from finished transactions, how long each step usually takes. It reads the same number
 * in every two hours of the last 14 days.
 */
export async function learnUsualStays(pool: pg.Pool): Promise<void> {
  await learnHourly(pool, 'usual-stays', async (client) => {
    const finished: FinishedRow[] = []
    for (const { from, to } of slots())
      finished.push(...(await client.query<FinishedRow>({ ...FINISHED, values: [from, to] })).rows)
    const ids = finished.map(({ subject_id }) => subject_id)
    const { rows: stays } = await client.query<StayRow>(STAYS, [ids, movingSteps])
    const bySubject = new Map(finished.map((row) => [row.subject_id, row]))
    const learned = stays.flatMap(({ subject_id, type, step, ms }) => {
      const transaction = bySubject.get(subject_id)
      if (transaction?.direction !== type) return []
      const { direction, currency_fiat, chain } = transaction
      return [{ direction, step, currency_fiat, chain, ms }]
    })
    await client.query('DELETE FROM usual_stay')
    await client.query(LEARN, [JSON.stringify(learned), fewest])
  })
}

interface FinishedRow {
  readonly subject_id: string
  readonly direction: string
  readonly currency_fiat: string | null
  readonly chain: string | null
}

const FINISHED = planOnce(
  unionAll(
    directions.map(
      (direction) => `(
    SELECT subject_id, direction, currency_fiat, chain FROM transaction
    WHERE ${directionIs(direction)} AND step = 'SUCCESS'
      AND last_move_at >= $1::timestamptz AND last_move_at < $2::timestamptz
    ORDER BY last_move_at DESC LIMIT ${rowsOfSlot})`,
    ),
  ),
)

interface StayRow {
  readonly subject_id: string
  readonly type: string | null
  readonly step: string | null
  readonly ms: number
}

/** Each event of these transactions says how long the transaction stayed at its step, until the next event. */
const STAYS = `
  SELECT subject_id, type, step, (extract(epoch FROM went - came) * 1000)::float8 AS ms FROM (
    SELECT subject_id, type, sub_type AS step, first_received_at AS came, placed_before,
           lead(first_received_at) OVER line AS went, lead(placed_before) OVER line AS next_placed_before
    FROM event WHERE subject_id = ANY($1::text[])
    WINDOW line AS (PARTITION BY subject_id, type ORDER BY position)
  ) AS moved
  WHERE step = ANY($2::text[]) AND went >= came AND placed_before IS NULL AND next_placed_before IS NULL`

const LEARN = `
  WITH stay AS (
    SELECT direction, step, COALESCE(NULLIF(currency_fiat, '*'), '') AS currency_fiat,
           COALESCE(NULLIF(chain, '*'), '') AS chain, ms
    FROM json_to_recordset($1::json) AS given (direction text, step text, currency_fiat text, chain text, ms float8)
  )
  INSERT INTO usual_stay (direction, step, currency_fiat, chain, longest_ms, stays)
  SELECT direction, step, COALESCE(currency_fiat, '*'), COALESCE(chain, '*'),
         percentile_disc(0.99) WITHIN GROUP (ORDER BY ms), count(*)
  FROM stay
  GROUP BY GROUPING SETS ((direction, step, currency_fiat, chain), (direction, step, currency_fiat), (direction, step))
  HAVING count(*) >= $2`
