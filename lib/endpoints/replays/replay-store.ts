import 'server-only'
import { uuidv7 } from 'uuidv7'
import { replayResultDays } from '#lib/deliveries/retention-rules.ts'
import { subjectId } from '#lib/deliveries/rules/subject.ts'
import { requireStandingSession } from '#lib/identity/sessions/person-sessions.ts'
import type { Transaction } from '#lib/platform/db/in-transaction.ts'
import { deleteLease, isLeaseGood, Job, sweepLeases } from '#lib/platform/db/lease.ts'
import { advisoryLocks } from '#lib/platform/db/locks.ts'
import { firstUuidv7 } from '#lib/platform/db/partitions.ts'
import { textParameter } from '#lib/platform/db/statements.ts'
import { Refused } from '#lib/platform/refusals.ts'
import { findLostMonths, findMonthsBack } from '#lib/timeline/projector/lost-months.ts'
import { filterEntries, type ReplayFilter } from './replay-forms.ts'

/** The process that runs a replay knows it in this form. */
export interface RunningReplay {
  readonly id: string
  /** When another process runs the replay, an earlier runner can write no more. */
  readonly job: Job
  /** The address is null when the replay goes into the projection. */
  readonly address: string | null
  /** The pace is the maximum number of deliveries a second. */
  readonly pace: number
}

export interface NewReplay {
  readonly filter: ReplayFilter
  readonly address: string | null
  readonly pace: number
  readonly reason: string
  readonly actor: string
  /** The replay stops when this session is ended, but not by its admin's sign-out or sign-in. */
  readonly sessionId: string
}

/** ASSUMED: an admin wants no more than this at once. The fastest pace takes 33 minutes for them. */
export const maxDeliveries = 100_000

/** ASSUMED: an event has no more deliveries than this on average. */
const deliveriesOfEvent = 4

/** ASSUMED: more replays at once would slow everything else down. */
const maxRunning = 3

/**
 * A runner writes at least every second, also while a receiver answers. One that is silent for longer than this, in
 * ms, has died.
 */
const replayLeaseMs = 20_000

const leaseOf = (replayId: string) => `replay:${replayId}`

/** The condition is true while a process runs `replay`, which is the name or alias of its table. */
export const isAlive = (replay: string) => `(${replay}.state = 'running' AND EXISTS (
  SELECT FROM lease WHERE lease.name = 'replay:' || ${replay}.id AND ${isLeaseGood(replayLeaseMs)}))`

/** Deliveries are selected and stored in order of arrival, and the replay becomes running. Throws `Refused`. */
export async function insertReplay(
  tx: Transaction,
  { filter, address, pace, reason, actor, sessionId }: NewReplay,
): Promise<RunningReplay & { total: number }> {
  const id = uuidv7()
  await requireStandingSession(tx, sessionId)
  await requireCapacity(tx)
  await requireSettledLog(tx)
  const total = await selectInto(tx, id, filter)
  if (total === 0) throw new Refused('replay-empty')
  if (total > maxDeliveries)
    throw new Refused('replay-too-large', { most: maxDeliveries.toLocaleString('en') })
  const entries = Object.fromEntries(filterEntries(filter))
  await tx.query(INSERT, [
    id,
    address ? 'post' : 'fold',
    address,
    entries,
    pace,
    reason,
    actor,
    total,
    sessionId,
  ])
  return { id, job: await takeJob(tx, id), address, pace, total }
}

/** A replay that is not running goes on. Null when it runs, has nothing left, or does not exist. Throws `Refused`. */
export async function resumeStoredReplay(
  tx: Transaction,
  id: string,
  sessionId: string,
): Promise<RunningReplay | null> {
  await requireStandingSession(tx, sessionId)
  await requireCapacity(tx)
  await requireSettledLog(tx)
  const { rows } = await tx.query<Omit<RunningReplay, 'job'>>(REVIVE, [id, sessionId])
  const [revived] = rows
  return revived ? { ...revived, job: await takeJob(tx, id) } : null
}

/** A month that came back to the log may hold people who were erased meanwhile. */
async function requireSettledLog(tx: Transaction): Promise<void> {
  const [month] = await findMonthsBack(tx, await findLostMonths(tx))
  if (month) throw new Refused('month-unread', { month: month.name })
}

/** The lease is taken from a previous runner, for example one that was just stopped. */
async function takeJob(tx: Transaction, id: string): Promise<Job> {
  await deleteLease(tx, leaseOf(id))
  await sweepLeases(tx, leaseOf(''))
  const job = new Job(leaseOf(id), replayLeaseMs)
  if (!(await job.take(tx))) throw new Error(`The lease of the replay ${id} was taken by another`)
  return job
}

/**
 * Returns true when the replay was running. A post in flight is recorded if the answer comes at once; otherwise it
 * is cut off.
 */
export async function stopStoredReplay(tx: Transaction, id: string): Promise<boolean> {
  const { rowCount } = await tx.query(
    `UPDATE replay SET state = 'stopped' WHERE id = $1 AND state = 'running'`,
    [id],
  )
  return rowCount === 1
}

/**
 * Every replay stops. After a restore, replays would send again what they sent since the backup. Returns their
 * number.
 */
export async function stopReplays(tx: Transaction): Promise<number> {
  return (await tx.query(`UPDATE replay SET state = 'stopped' WHERE state = 'running'`)).rowCount ?? 0
}

/** A start is refused while too many replays run, until the transaction ends. */
async function requireCapacity(tx: Transaction): Promise<void> {
  await tx.query('SELECT pg_advisory_xact_lock($1)', [advisoryLocks.replays])
  const { rows } = await tx.query<{ running: bigint }>(
    `SELECT count(*) AS running FROM replay WHERE ${isAlive('replay')}`,
  )
  if ((rows[0]?.running ?? 0n) >= maxRunning) throw new Refused('replays-running', { running: maxRunning })
}

async function selectInto(tx: Transaction, id: string, filter: ReplayFilter): Promise<number> {
  const { text, values } = selectForReplay(filter)
  await tx.query(rowByRow)
  const { rowCount } = await tx.query(
    `INSERT INTO replay_delivery (replay_id, seq, delivery_id)
     SELECT $${values.length + 1}, seq, id FROM (${text}) AS chosen
     ON CONFLICT DO NOTHING`,
    [...values, id],
  )
  return rowCount ?? 0
}

const INSERT = `
  INSERT INTO replay (id, kind, address, filter, pace, reason, actor, total, session_id, state)
  VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, 'running')`

/** The deliveries that are left are deleted with the results, so an older replay cannot go on. */
const REVIVE = `
  UPDATE replay SET state = 'running', session_id = $2, last_progress_at = clock_timestamp()
  WHERE id = $1 AND state <> 'done' AND NOT ${isAlive('replay')}
    AND last_progress_at > clock_timestamp() - ${replayResultDays} * interval '1 day'
  RETURNING id, address, pace`

/**
 * The query chooses the deliveries of a replay, with `id`, `seq` and `received_at`. More than `most` rows are too many.
 * Duplicates are skipped only when all that matches was read. Otherwise there are too many rows as well.
 */
export function selectForReplay(
  filter: ReplayFilter,
  most = maxDeliveries,
): { readonly text: string; readonly values: readonly string[] } {
  const { from, where, values } = selectDeliveries(filter)
  const matching = `FROM ${from} WHERE ${where} LIMIT`
  if (filter.once === undefined)
    return { text: `SELECT d.id, d.seq, d.received_at ${matching} ${most + 1}`, values }
  const read = most * deliveriesOfEvent + 1
  const text = `
    SELECT id, seq, received_at FROM (
      SELECT *, row_number() OVER (PARTITION BY event_id ORDER BY seq) AS nth, count(*) OVER () AS matching
      FROM (SELECT d.id, d.seq, d.received_at, carried.event_id ${matching} ${read}) AS found
    ) AS numbered
    WHERE nth = 1 OR matching = ${read} LIMIT ${most + 1}`
  return { text, values }
}

/** `Selection` is a query for deliveries with its values, which begin at $1. */
interface Selection {
  readonly from: string
  readonly where: string
  readonly values: readonly string[]
}

/**
 * The query finds the deliveries of the log (`d`) that match the filter, also those that `once` skips afterwards.
 * Deliveries that were never folded match too, when the filter asks for no event.
 */
export function selectDeliveries(filter: ReplayFilter): Selection {
  const values: string[] = []
  const parameter = (text: string) => `$${values.push(textParameter(text))}`
  const conditions = filterEntries(filter).map(([key, value]) => conditionOf[key](value, parameter))
  const ofLog = conditions.flatMap(({ log }) => log ?? [])
  const ofEvents = conditions.flatMap(({ event }) => event ?? [])
  const carried = [...ofEvents, ...conditions.flatMap(({ span }) => span?.('ed.delivery_id') ?? [])]
  const where = [...ofLog, ...conditions.flatMap(({ span }) => span?.('d.id') ?? [])]
  return {
    from:
      ofEvents.length > 0
        ? `delivery d JOIN (${CARRIED} WHERE ${carried.join(' AND ')}) AS carried ON carried.delivery_id = d.id`
        : 'delivery d',
    where: conditions.length > 0 ? ['true', ...where].join(' AND ') : 'false',
    values,
  }
}

/**
 * The selecting transaction needs this. The planner expects too few rows, because it takes an event's id and
 * subject as independent, and would join whole tables. A nested loop stops at the limit.
 */
export const rowByRow = 'SET LOCAL enable_hashjoin = off; SET LOCAL enable_mergejoin = off'

/** Events and the log may be on several servers, so events are joined with their deliveries first. Decision 0143. */
const CARRIED = `
  SELECT ed.delivery_id, ed.event_id FROM event_delivery ed
  JOIN event e ON e.subject_id = ed.subject_id AND e.id = ed.event_id`

interface Condition {
  /** The condition is on rows of the log (`d`). */
  readonly log?: string
  /** The condition is on an event (`e`) and its delivery (`ed`). */
  readonly event?: string
  /** The condition is on the id of a delivery, in the log or beside its event. */
  readonly span?: (id: string) => string
}

/** An id may be made this many milliseconds before its delivery is stored, or by a clock that is this far off. */
const slack = 3600_000

type ToCondition = (value: string, parameter: (text: string) => string) => Condition

const conditionOf: Record<keyof ReplayFilter, ToCondition> = {
  from: (value, parameter) => {
    const first = parameter(firstUuidv7(Date.parse(value) - slack))
    return {
      log: `d.received_at >= ${parameter(value)}::timestamptz`,
      span: (id) => `${id} >= ${first}::uuid`,
    }
  },
  to: (value, parameter) => {
    const next = parameter(firstUuidv7(Date.parse(value) + slack))
    return { log: `d.received_at < ${parameter(value)}::timestamptz`, span: (id) => `${id} < ${next}::uuid` }
  },
  type: (value, parameter) => ({
    event: value.includes(',')
      ? `e.type = ANY(string_to_array(${parameter(value)}, ','))`
      : `e.type = ${parameter(value)}`,
  }),
  // The step has no index of its own, so it reads every event when it is the only part: 0.7 s at 1.2 million.
  step: (value, parameter) => ({ event: `e.sub_type = ${parameter(value)}` }),
  endpoint: (value, parameter) => ({
    log: `d.receiver_id = ANY(ARRAY(SELECT id FROM receiver WHERE endpoint_uuid = ${parameter(value)}::uuid))`,
  }),
  user: (value, parameter) => ({ event: `e.entity_uuid = ${parameter(value.toLowerCase())}` }),
  transaction: (value, parameter) => ({
    event: `ed.subject_id = ${parameter(subjectId({ kind: 'transaction', id: value.toLowerCase() }))}`,
  }),
  event: (value, parameter) => ({ event: `e.id = ${parameter(value)}::uuid` }),
  delivery: (value, parameter) => {
    const delivery = parameter(value)
    return { span: (id) => `${id} = ${delivery}::uuid` }
  },
  failedIn: (value, parameter) => ({
    log: `d.id IN (SELECT delivery_id FROM replay_delivery WHERE replay_id = ${parameter(value)}::uuid AND error IS NOT NULL)`,
  }),
  // An event has the id of its first delivery.
  first: () => ({ event: 'e.id = ed.delivery_id' }),
  // The events must be known, so that `selectForReplay` can skip duplicates.
  once: () => ({ event: 'true' }),
}
