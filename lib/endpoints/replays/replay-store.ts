import 'server-only'
import { uuidv7 } from 'uuidv7'
import { replayResultDays } from '#lib/deliveries/retention-rules.ts'
import { requireStandingSession } from '#lib/identity/sessions/person-sessions.ts'
import type { Transaction } from '#lib/platform/db/in-transaction.ts'
import { Job } from '#lib/platform/db/job.ts'
import { deleteLease, isLeaseGood, sweepLeases } from '#lib/platform/db/lease.ts'
import { advisoryLocks } from '#lib/platform/db/locks.ts'
import { Refused } from '#lib/platform/refusals.ts'
import { filterEntries, type ReplayFilter } from './replay-forms.ts'
import { rowByRow, selectDeliveries } from './select-deliveries.ts'

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
  /** The replay stops when this session ends. */
  readonly sessionId: string
}

/** ASSUMED: an admin wants no more than this at once. The fastest pace takes 33 minutes for them. */
export const maxDeliveries = 100_000

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
  const { rows } = await tx.query<Omit<RunningReplay, 'job'>>(REVIVE, [id, sessionId])
  const [revived] = rows
  return revived ? { ...revived, job: await takeJob(tx, id) } : null
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
  const { from, where, values } = selectDeliveries(filter)
  const next = values.length + 1
  await tx.query(rowByRow)
  const { rowCount } = await tx.query(
    `INSERT INTO replay_delivery (replay_id, seq, delivery_id)
     SELECT $${next}, d.seq, d.id FROM ${from} WHERE ${where} LIMIT ${maxDeliveries + 1}
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
