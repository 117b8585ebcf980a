import 'server-only'
import { uuidv7 } from 'uuidv7'
import { replayResultDays } from '#lib/deliveries/retention-rules.ts'
import { requireStandingSession } from '#lib/identity/sessions/person-sessions.ts'
import type { Transaction } from '#lib/platform/db/in-transaction.ts'
import { acquireLeases, isLeaseGood, type Lease, newHolder, sweepLeases } from '#lib/platform/db/lease.ts'
import { advisoryLocks } from '#lib/platform/db/locks.ts'
import { Refused } from '#lib/platform/refusals.ts'
import { filterEntries, type ReplayFilter } from './replay-forms.ts'
import { rowByRow, selectDeliveries } from './select-deliveries.ts'

/** A replay as whoever runs it knows it. */
export interface RunningReplay {
  readonly id: string
  /** Held by whoever runs it; when another goes on with it, an earlier runner can write no more. */
  readonly lease: Lease
  /** Null when it goes into the projection. */
  readonly address: string | null
  /** Deliveries a second at most. */
  readonly pace: number
}

export interface NewReplay {
  readonly filter: ReplayFilter
  readonly address: string | null
  readonly pace: number
  readonly reason: string
  readonly actor: string
  /** It stops with this session. */
  readonly sessionId: string
}

/** ASSUMED: as many as an admin can mean at once; at the fastest pace they take 33 minutes. */
export const maxDeliveries = 100_000

/** ASSUMED: more replays at once would slow everything else down. */
const maxRunning = 3

/** A runner writes at least every second, also while a receiver answers: one silent for longer than this, in ms, has died. */
export const replayLeaseMs = 20_000

const leaseOf = (replayId: string) => `replay:${replayId}`

/** Whether somebody runs `replay`, the name or alias of its table. */
export const isAlive = (replay: string) => `(${replay}.state = 'running' AND EXISTS (
  SELECT FROM lease WHERE lease.name = 'replay:' || ${replay}.id AND ${isLeaseGood(replayLeaseMs)}))`

/**
 * Selects and stores the deliveries in order of arrival and marks the replay as running. Throws `Refused`.
 */
export async function insertReplay(
  tx: Transaction,
  { filter, address, pace, reason, actor, sessionId }: NewReplay,
): Promise<RunningReplay & { total: number }> {
  const id = uuidv7()
  await requireStandingSession(tx, sessionId)
  await requireCapacity(tx)
  const total = await selectInto(tx, id, filter)
  if (total === 0) throw new Refused(nothingMatches)
  if (total > maxDeliveries) throw new Refused(tooMany)
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
  return { id, lease: await acquireLease(tx, id), address, pace, total }
}

/**
 * Resumes a replay that is not running. Null when it runs, has nothing left, or does not exist. Throws
 * `Refused`.
 */
export async function resumeStoredReplay(
  tx: Transaction,
  id: string,
  sessionId: string,
): Promise<RunningReplay | null> {
  await requireStandingSession(tx, sessionId)
  await requireCapacity(tx)
  const { rows } = await tx.query<Omit<RunningReplay, 'lease'>>(REVIVE, [id, sessionId])
  const [revived] = rows
  return revived ? { ...revived, lease: await acquireLease(tx, id) } : null
}

/** Takes the lease from a previous runner, for example one that was just stopped. */
async function acquireLease(tx: Transaction, id: string): Promise<Lease> {
  await tx.query('DELETE FROM lease WHERE name = $1', [leaseOf(id)])
  await sweepLeases(tx, leaseOf(''))
  const [lease] = await acquireLeases(tx, [leaseOf(id)], newHolder(), replayLeaseMs)
  if (!lease) throw new Error(`The lease of the replay ${id} was taken by another`)
  return lease
}

/** True when the replay was running. A delivery in flight is recorded if it is answered at once, and cut off otherwise. */
export async function stopStoredReplay(tx: Transaction, id: string): Promise<boolean> {
  const { rowCount } = await tx.query(
    `UPDATE replay SET state = 'stopped' WHERE id = $1 AND state = 'running'`,
    [id],
  )
  return rowCount === 1
}

/** Stops every replay, as after a restore: what it sent since the backup would be sent again. Answers how many. */
export async function stopReplays(tx: Transaction): Promise<number> {
  return (await tx.query(`UPDATE replay SET state = 'stopped' WHERE state = 'running'`)).rowCount ?? 0
}

/** Refuses when too many replays run, until the transaction ends. */
async function requireCapacity(tx: Transaction): Promise<void> {
  await tx.query('SELECT pg_advisory_xact_lock($1)', [advisoryLocks.replays])
  const { rows } = await tx.query<{ running: bigint }>(
    `SELECT count(*) AS running FROM replay WHERE ${isAlive('replay')}`,
  )
  if ((rows[0]?.running ?? 0n) >= maxRunning) throw new Refused(tooManyAtOnce)
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

/** What is left to send goes with the results. */
const REVIVE = `
  UPDATE replay SET state = 'running', session_id = $2, last_progress_at = clock_timestamp()
  WHERE id = $1 AND state <> 'done' AND NOT ${isAlive('replay')}
    AND last_progress_at > clock_timestamp() - ${replayResultDays} * interval '1 day'
  RETURNING id, address, pace`

const nothingMatches = {
  title: 'No stored delivery matches.',
  next: 'Nothing was sent. Widen what you chose; bodies that retention has dropped cannot be sent again.',
}

const tooMany = {
  title: `More than ${maxDeliveries.toLocaleString('en')} deliveries match.`,
  next: 'Nothing was sent. Choose a shorter time, or one type or endpoint, and send the parts one after the other.',
}

const tooManyAtOnce = {
  title: `${maxRunning} replays are running already.`,
  next: 'Nothing was sent. Wait until one is done, or stop one.',
}
