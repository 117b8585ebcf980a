import 'server-only'
import type { QueryConfig } from 'pg'
import pg from 'pg'
import { requeueForRun, requeueLostAnswers } from '#lib/deliveries/queue/enqueue.ts'
import { markDeadLetters } from '#lib/deliveries/queue/read-queue-state.ts'
import { type FoldedDelivery, removeFolded } from '#lib/deliveries/queue/take.ts'
import { changeChannel, changePayloads } from '#lib/platform/change-notification.ts'
import { isOfPooler, isOfRow } from '#lib/platform/db/connect.ts'
import { OutcomeUnknown, rollBack } from '#lib/platform/db/in-transaction.ts'
import { type Lease, renewLeases } from '#lib/platform/db/lease.ts'
import { traceWork } from '#lib/platform/tracing.ts'
import { eventTable, identifierTable } from '../tables/event.ts'
import { deleteOf } from '../tables/table.ts'
import {
  countChanges,
  countStandingChanges,
  readCounted,
  readStandingCounts,
  slotOfOthers,
} from './count-transactions.ts'
import type { SubjectChanges } from './project-subject.ts'
import { compareRows, type Difference, projections } from './projections.ts'
import { shardLeaseMs, shardOfLease } from './shard-leases.ts'

/** Another projector holds a lease that was ours. */
export class LeaseLost extends Error {}

/** A statement of a write took too long and was cancelled. */
export class TimeLimitReached extends Error {}

/**
 * One transaction writes the changes, removes deliveries that are no longer pending, and notifies. `also` adds
 * to that transaction. Throws `LeaseLost`.
 */
export function writeChanges(
  pool: pg.Pool,
  leases: readonly Lease[],
  writing: BatchWrite,
  also?: (client: pg.PoolClient) => Promise<void>,
): Promise<void> {
  const [lease] = leases
  const slot = lease ? shardOfLease(lease) : slotOfOthers
  return traceWork('fold deliveries', { 'rampart.deliveries': writing.folded.length }, () =>
    underLeases(pool, leases, async (client) => {
      await writeRows(client, writing, slot)
      await also?.(client)
    }),
  )
}

/** The caller's transaction is used, in which no projector writes these subjects. `slot`: see `countChanges`. */
export async function writeRows(
  client: pg.ClientBase,
  writing: BatchWrite,
  slot = slotOfOthers,
): Promise<void> {
  const counted = writing.changes.filter(({ complete, transaction }) => complete || transaction !== null)
  const before = await readCounted(
    client,
    counted.map(({ subjectId }) => subjectId),
  )
  const standing = writing.changes
    .filter(({ complete, standings }) => complete || standings.length > 0)
    .map(({ subjectId }) => subjectId)
  const standingsBefore = await readStandingCounts(client, standing)
  const differences = await compareRows(
    client,
    writing.changes.filter(({ complete }) => complete),
  )
  for (const statement of statementsOf(writing, differences)) await client.query(statement)
  await countChanges(
    client,
    slot,
    before,
    counted.flatMap(({ transaction }) => transaction ?? []),
  )
  await countStandingChanges(client, slot, standingsBefore, await readStandingCounts(client, standing))
}

/** Deliveries that cannot be folded become dead letters. Throws `LeaseLost`. */
export function writeDeadLetters(
  pool: pg.Pool,
  leases: readonly Lease[],
  deliveryIds: readonly string[],
  error: string,
): Promise<void> {
  return underLeases(pool, leases, (client) => markDeadLetters(client, deliveryIds, error))
}

/**
 * `work` runs in a transaction with the leases, which the database ends when this process freezes for a second.
 * The database cancels slow statements before the pool closes its connection: they would run on and lock the
 * leases. A commit that a crash loses makes its deliveries pending again.
 */
async function underLeases(
  pool: pg.Pool,
  leases: readonly Lease[],
  work: (client: pg.PoolClient) => Promise<void>,
) {
  const client = await pool.connect()
  const limit = statementLimitOf(pool)
  const began = performance.now()
  let broken: Error | boolean | undefined = true
  try {
    await client.query(beginBatch(limit))
    if (!(await renewLeases(client, leases, shardLeaseMs)))
      throw new LeaseLost('Another projector has taken over')
    await work(client)
    await client.query('COMMIT')
    broken = false
  } catch (error) {
    broken = await rollBack(client)
    throw isCancelled(error) && performance.now() - began >= limit ? timeLimitReached(limit, error) : error
  } finally {
    client.release(broken)
  }
}

/** A statement may take four fifths of what the pool allows. */
const statementLimitOf = ({ options }: pg.Pool) => Math.round((options.query_timeout ?? 15_000) * 0.8)

const isCancelled = (error: unknown) => error instanceof pg.DatabaseError && error.code === '57014'

const timeLimitReached = (limit: number, cause: unknown) =>
  new TimeLimitReached(`A statement was not done within ${limit / 1_000} s`, { cause })

/**
 * The transaction of a batch begins here. A wait for a lock ends earlier than a statement: the holder of the
 * lock is in the way, and the batch is not too slow. `limit` is in milliseconds for a statement.
 */
export const beginBatch = (limit: number) => `
  BEGIN; SET LOCAL synchronous_commit = off; SET LOCAL statement_timeout = ${limit};
  SET LOCAL lock_timeout = ${Math.round(limit / 2)};
  SET LOCAL idle_in_transaction_session_timeout = ${shardLeaseMs - 500}`

/** One transaction writes this. */
export interface BatchWrite {
  readonly changes: readonly SubjectChanges[]
  /** Viewers are notified of these changes; a rebuild notifies nobody. Without a `userUuid` only staff is notified. */
  readonly notify: readonly Pick<SubjectChanges, 'subjectId' | 'userUuid'>[]
  /** These deliveries are done. */
  readonly folded: readonly FoldedDelivery[]
  /** The answers to these folded deliveries were assumed to have arrived. */
  readonly foldedAsSure: readonly string[]
  /** These deliveries return to the queue to be read from the log, with the run that found them under a wrong subject. */
  readonly requeued: readonly { readonly id: string; readonly run: string }[]
  /** The last delivery came to each receiver at this time, in ms since 1970. */
  readonly lastOnReceiver: ReadonlyMap<string, number>
}

export const emptyWrite: BatchWrite = {
  changes: [],
  notify: [],
  folded: [],
  foldedAsSure: [],
  requeued: [],
  lastOnReceiver: new Map(),
}

/**
 * The statements write the changes, remove deliveries that are no longer pending, and notify, in this order.
 * `differences` are those of the complete changes, see `compareRows`.
 */
function* statementsOf(writing: BatchWrite, differences: readonly Difference[] = []): Generator<QueryConfig> {
  const changed = writing.changes.filter(({ complete }) => !complete)
  yield* rowsBy('move-identifiers', MOVE_IDENTIFIERS, movedOf(writing.changes))
  for (const { table, rowsOf, upsert } of projections) {
    const rows = changed.flatMap(rowsOf)
    if (table === identifierTable) yield* rowsBy('delete-identifier', deleteOf(table), rows)
    yield* rowsBy(`upsert-${table.name}`, upsert, rows)
  }
  for (const { projection, rows } of differences) {
    if (projection.table === identifierTable)
      yield* rowsBy('delete-identifier', deleteOf(identifierTable), rows)
    yield* rowsBy(`upsert-rebuilt-${projection.table.name}`, projection.upsertRebuilt, rows)
  }
  yield* rowsBy('delete-event', deleteOf(eventTable), removedOf(changed))
  for (const { projection, gone } of differences)
    yield* rowsBy(`delete-${projection.table.name}`, deleteOf(projection.table), gone)
  const receivers = [...writing.lastOnReceiver].map(([id, at]) => ({ id, at: new Date(at) }))
  yield* rowsBy('touch-receivers', TOUCH_RECEIVERS, receivers)
  yield* removeFolded(writing.folded)
  for (const [run, some] of Map.groupBy(writing.requeued, (delivery) => delivery.run))
    yield requeueForRun(
      some.map(({ id }) => id),
      run,
    )
  if (writing.foldedAsSure.length > 0) yield requeueLostAnswers(writing.foldedAsSure)
  const payloads = changePayloads(writing.notify, Date.now())
  if (payloads.length > 0) yield { name: 'notify-changes', text: NOTIFY, values: [changeChannel, payloads] }
}

/** Rows of one kind are passed as JSON parameters. */
function* rowsBy(name: string, text: string, rows: readonly object[]): Generator<QueryConfig> {
  for (const part of jsonParts(rows)) yield { name, text, values: [part] }
}

/** One parameter has this many characters: all rows of a large subject would not fit into one string. */
const mostCharacters = 8 * 1024 * 1024

function* jsonParts(rows: readonly object[]) {
  let part: string[] = []
  let size = 0
  for (const row of rows) {
    const text = JSON.stringify(row)
    if (part.length > 0 && size + text.length > mostCharacters) {
      yield `[${part.join()}]`
      part = []
      size = 0
    }
    part.push(text)
    size += text.length
  }
  if (part.length > 0) yield `[${part.join()}]`
}

const removedOf = (changes: readonly SubjectChanges[]) =>
  changes.flatMap(({ subjectId, removedEvents }) =>
    removedEvents.map((id) => ({ subject_id: subjectId, id })),
  )

const movedOf = (changes: readonly SubjectChanges[]) =>
  changes.flatMap(({ subjectId, startedAt }) =>
    startedAt === null ? [] : [{ subject_id: subjectId, started_at: startedAt }],
  )

const MOVE_IDENTIFIERS = `
  UPDATE identifier SET started_at = moved.started_at
  FROM json_to_recordset($1::json) AS moved (subject_id text, started_at timestamptz)
  WHERE identifier.subject_id = moved.subject_id AND identifier.started_at <> moved.started_at`

const TOUCH_RECEIVERS = `
  UPDATE receiver SET last_delivery_at = seen.at
  FROM json_to_recordset($1::json) AS seen (id uuid, at timestamptz)
  WHERE receiver.id = seen.id AND (last_delivery_at IS NULL OR last_delivery_at < seen.at)`

const NOTIFY = 'SELECT pg_notify($1, payload) FROM unnest($2::text[]) AS payload'

/**
 * `machine`: the database or this process failed; the whole batch is tried again. `time-limit`: too slow, or
 * the database was silent; half as much is tried again. `others`: another transaction was in the way; the
 * subject is tried again alone. `delivery`: the delivery itself fails every time and becomes a dead
 * letter, which an admin may try again (`retryDeadLettersNow`).
 */
type FailureCause = 'machine' | 'time-limit' | 'others' | 'delivery'

/** An error without a code comes from our own code, on this delivery. */
export function failureCause(error: unknown): FailureCause {
  if (error instanceof LeaseLost || error instanceof OutcomeUnknown) return 'machine'
  if (error instanceof TimeLimitReached) return 'time-limit'
  if (error instanceof pg.DatabaseError) return causeInDatabase(error)
  // Node's "string too long" error has a code as well.
  if (!(error instanceof Error) || error instanceof RangeError || error instanceof TypeError)
    return 'delivery'
  if (error.message === 'Query read timeout') return 'time-limit'
  return isSystemError(error) || connectionLost.test(error.message) ? 'machine' : 'delivery'
}

/**
 * The cause follows from the SQLSTATE, mostly from its class: https://www.postgresql.org/docs/current/errcodes-appendix.html
 */
function causeInDatabase(error: pg.DatabaseError): FailureCause {
  const { code: state = '' } = error
  // Our own code took too long between two statements of a transaction.
  if (state === '25P03') return 'time-limit'
  if (state === '57014' || state === '55P03' || state.startsWith('40') || isOfPooler(error)) return 'others'
  return isOfRow(error) ? 'delivery' : 'machine'
}

/** A system call or TLS failed: such errors have their own codes, as in `ECONNRESET`. */
const isSystemError = (error: Error) =>
  'code' in error && typeof error.code === 'string' && !error.code.startsWith('ERR_STRING')

/** node-postgres reports these only by message. */
const connectionLost =
  /^(Connection terminated|Client (has encountered|was closed)|timeout ex(ceeded|pired)|SASL|The(re was an error establishing an SSL| server does not support SSL))/
