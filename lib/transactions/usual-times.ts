import 'server-only'
import type pg from 'pg'
import { type Caller, requirePermission } from '#lib/access/caller.ts'
import { directions } from '#lib/deliveries/rules/steps.ts'
import { inTransaction, type Transaction } from '#lib/platform/db/in-transaction.ts'
import { keepFor } from '#lib/platform/db/keep-for.ts'
import { pool } from '#lib/platform/db/pool.ts'
import { planOnce } from '#lib/platform/db/statements.ts'
import { keepSettingRow } from '#lib/platform/settings/settings.ts'
import { standsSince, type TransactionRow } from '#lib/timeline/tables/transaction.ts'
import { directionIs, type StuckRule, unionAll } from './row-condition.ts'
import { isStuck, movingSteps, toUsualStays, type UsualStay, type UsualStays } from './rules/is-stuck.ts'
import type { TransactionMatch } from './rules/transaction-filters.ts'
import { type UsualMove, type UsualNext, usualNext } from './rules/usual-next.ts'

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

/** The values are learned again after this many milliseconds. */
const everyMs = 3_600_000

/** Something is learned from the stored data once an hour; the age of the setting `key` says when it was learned last. */
const learnHourly = (
  pool: pg.Pool,
  key: string,
  learn: (client: Transaction) => Promise<unknown>,
): Promise<void> =>
  inTransaction(pool, async (client) => {
    const { rowCount } = await client.query(FRESH, [key, everyMs])
    if (rowCount === 1) return
    // This statement comes first, so that another process that learns at the same time waits here.
    await keepSettingRow(client, key, {})
    await learn(client)
  })

const FRESH = `
  SELECT FROM setting WHERE key = $1 AND updated_at > clock_timestamp() - $2 * interval '1 ms'`

/** The values are learned from this many days, in slots of some hours. */
const days = 14
const slotMs = 2 * 3_600_000

/** The same number of rows is read of each slot, however many there are, and however slow the last hour was. */
const rowsOfSlot = 20

/** The slots of the last 14 days; the newest comes last. */
function slots(): readonly { readonly from: Date; readonly to: Date }[] {
  const now = Date.now()
  const count = (days * 24 * 3_600_000) / slotMs
  return Array.from({ length: count }, (_, i) => {
    const to = now - (count - 1 - i) * slotMs
    return { from: new Date(to - slotMs), to: new Date(to) }
  })
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

const keptNext = keepFor(keptMs, async () => (await pool().query<UsualMove>(READ_NEXT, [])).rows)

/** The usual next steps come from this merchant's own history; null when it says nothing. Throws `NotAllowed`. */
export async function readUsualNext(
  caller: Caller,
  at: Parameters<typeof usualNext>[1],
): Promise<UsualNext | null> {
  requirePermission(caller, 'see-everything')
  return usualNext(await keptNext.read(), at)
}

/** The next call reads the values again. */
export const forgetUsualNext = (): void => keptNext.forget()

const READ_NEXT = `
  SELECT direction, step, NULLIF(reason, '*') AS reason, next, moves, half_ms::float8 AS "halfMs" FROM usual_next`

/** Another step should follow these, and nobody knows how a hold ends. */
const steps: readonly string[] = [...movingSteps, 'ON_HOLD']

/**
 * The database learns once an hour which step followed each step, how often and after how long. It reads the same number of
 * events in every two hours of the last 14 days, and the successor of each.
 */
export const learnUsualNext = (pool: pg.Pool): Promise<void> =>
  learnHourly(pool, 'usual-next', async (client) => {
    const events: EventRow[] = []
    for (const { from, to } of slots())
      events.push(...(await client.query<EventRow>({ ...EVENTS, values: [from, to] })).rows)
    const sample = events.filter(({ step }) => step !== null && steps.includes(step))
    const { rows: moves } = await client.query<MoveRow>(MOVES, [
      sample.map(({ subject_id }) => subject_id),
      sample.map(({ id }) => id),
    ])
    await client.query('DELETE FROM usual_next')
    await client.query(LEARN_NEXT, [JSON.stringify(moves)])
  })

interface EventRow {
  readonly subject_id: string
  readonly id: string
  readonly step: string | null
}

interface MoveRow {
  readonly direction: string | null
  readonly step: string | null
  readonly next: string | null
  readonly reason: string
  /** Null where the time between the two steps is not known. */
  readonly ms: number | null
}

/** The query finds the lowest id of an event that was first received at this time or later. */
const firstIdAt = (time: string) =>
  `(lpad(to_hex((extract(epoch FROM ${time}) * 1000)::bigint), 12, '0') || '70008000000000000000')::uuid`

const EVENTS = planOnce(
  unionAll(
    directions.map(
      (direction) => `(
    SELECT subject_id, id, sub_type AS step FROM event
    WHERE type = '${direction}' AND id >= ${firstIdAt('$1::timestamptz')} AND id < ${firstIdAt('$2::timestamptz')}
    ORDER BY id DESC LIMIT ${rowsOfSlot})`,
    ),
  ),
)

/** A hold that only changes its reason has not gone on. */
const MOVES = `
  SELECT DISTINCT ON (came.subject_id, came.id)
    came.type AS direction, came.sub_type AS step, went.sub_type AS next,
    CASE WHEN came.sub_type = 'ON_HOLD' THEN COALESCE(NULLIF(came.status, '*'), '') ELSE '' END AS reason,
    CASE WHEN came.placed_before IS NULL AND went.placed_before IS NULL AND went.first_received_at >= came.first_received_at
         THEN (extract(epoch FROM went.first_received_at - came.first_received_at) * 1000)::float8 END AS ms
  FROM event AS came JOIN event AS went ON went.subject_id = came.subject_id AND went.type = came.type
    AND went.position > came.position AND went.sub_type <> came.sub_type
  WHERE came.subject_id = ANY($1::text[]) AND came.id = ANY($2::uuid[])
  ORDER BY came.subject_id, came.id, went.position`

const LEARN_NEXT = `
  INSERT INTO usual_next (direction, step, reason, next, moves, half_ms)
  SELECT direction, step, COALESCE(reason, '*'), next, count(*), percentile_disc(0.5) WITHIN GROUP (ORDER BY ms)
  FROM json_to_recordset($1::json) AS moved (direction text, step text, next text, reason text, ms float8)
  GROUP BY GROUPING SETS ((direction, step, reason, next), (direction, step, next))
  HAVING GROUPING(reason) = 1 OR reason <> ''`
