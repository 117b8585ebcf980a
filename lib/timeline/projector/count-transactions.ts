import 'server-only'
import type pg from 'pg'
import { type CountedRow, changesOfCounts } from '../rules/transaction-counts.ts'
import { columnsOf, only, type RowOf, toWrittenRow } from '../tables/table.ts'
import { transactionTable } from '../tables/transaction.ts'

// The overview reads counts of transactions in `transaction_count`. Whoever changes rows of `transaction` changes
// the counts in the same database transaction. Decision 0143.

const counted = only(
  transactionTable,
  'direction',
  'step',
  'currencyFiat',
  'amountFiat',
  'details',
  'startedAt',
  'finishedAt',
)

/** The stored transactions of these subjects, before they change. */
export async function readCounted(
  client: pg.ClientBase,
  subjectIds: readonly string[],
): Promise<CountedRow[]> {
  if (subjectIds.length === 0) return []
  const { rows } = await client.query<RowOf<typeof counted>>({ ...READ, values: [subjectIds] })
  return rows.map((row) => toWrittenRow(counted, row))
}

/**
 * The counts follow the rows that were replaced. Writers with different slots write different rows of counts, so they
 * never wait for one another; a count is the sum over all slots.
 */
export async function countChanges(
  client: pg.ClientBase,
  slot: number,
  before: readonly CountedRow[],
  after: readonly CountedRow[],
): Promise<void> {
  const changes = changesOfCounts(before, after, Date.now())
  if (changes.length === 0) return
  await client.query({ ...COUNT, values: [JSON.stringify(changes), slot] })
  if (slot === slotOfOthers) await client.query(FORGET)
}

/** Only projectors write beside others, each with a slot of its own. */
export const slotOfOthers = -1

const READ = {
  name: 'counted-transactions',
  text: `SELECT ${columnsOf(counted)} FROM transaction WHERE subject_id = ANY($1)`,
}

/** A step or a state may hold what a person wrote, so an erasure leaves no count of zero. No projector writes meanwhile. */
const FORGET = `
  DELETE FROM transaction_count WHERE (at, sort, direction, step, currency, pace) IN (
    SELECT at, sort, direction, step, currency, pace FROM transaction_count
    GROUP BY 1, 2, 3, 4, 5, 6 HAVING sum(count) = 0 AND sum(amount) = 0)`

const FORGET_STANDINGS = `
  DELETE FROM standing_count WHERE (type, state, currency) IN (
    SELECT type, state, currency FROM standing_count GROUP BY 1, 2, 3 HAVING sum(count) = 0)`

/** The rows are written in the order of their key, so that two writers of one slot never deadlock. */
const COUNT = {
  name: 'count-transactions',
  text: `
    INSERT INTO transaction_count AS known (at, sort, direction, step, currency, pace, slot, count, amount)
    SELECT at, sort, direction, step, currency, pace, $2, sum(count), sum(count * amount)
    FROM json_to_recordset($1::json) AS change (at timestamptz, sort text, direction text, step text, currency text,
      pace smallint, count bigint, amount numeric)
    GROUP BY at, sort, direction, step, currency, pace HAVING sum(count) <> 0 OR sum(count * amount) <> 0
    ORDER BY at, sort, direction, step, currency, pace
    ON CONFLICT (at, sort, direction, step, currency, pace, slot)
    DO UPDATE SET count = known.count + EXCLUDED.count, amount = known.amount + EXCLUDED.amount`,
}

/** How many standings of these subjects there are, by type, state and currency. */
export interface StandingCount {
  readonly type: string
  readonly state: string
  readonly currency: string
  readonly count: number
}

/** The stored standings of these subjects, counted. */
export async function readStandingCounts(
  client: pg.ClientBase,
  subjectIds: readonly string[],
): Promise<StandingCount[]> {
  if (subjectIds.length === 0) return []
  return (await client.query<StandingCount>({ ...READ_STANDINGS, values: [subjectIds] })).rows
}

/** The counts of standings follow the rows that were replaced, as `countChanges` has it. */
export async function countStandingChanges(
  client: pg.ClientBase,
  slot: number,
  before: readonly StandingCount[],
  after: readonly StandingCount[],
): Promise<void> {
  const changes = [...before.map((one) => ({ ...one, count: -one.count })), ...after]
  if (changes.length === 0) return
  await client.query({ ...COUNT_STANDINGS, values: [JSON.stringify(changes), slot] })
  if (slot === slotOfOthers) await client.query(FORGET_STANDINGS)
}

const READ_STANDINGS = {
  name: 'counted-standings',
  text: `
    SELECT type, COALESCE(state, '') AS state, COALESCE(currency, '') AS currency, count(*)::int AS count
    FROM standing WHERE subject_id = ANY($1) GROUP BY 1, 2, 3`,
}

const COUNT_STANDINGS = {
  name: 'count-standings',
  text: `
    INSERT INTO standing_count AS known (type, state, currency, slot, count)
    SELECT type, state, currency, $2, sum(count)
    FROM json_to_recordset($1::json) AS change (type text, state text, currency text, count bigint)
    GROUP BY type, state, currency HAVING sum(count) <> 0 ORDER BY type, state, currency
    ON CONFLICT (type, state, currency, slot) DO UPDATE SET count = known.count + EXCLUDED.count`,
}
