import 'server-only'
import type pg from 'pg'
import { inTransaction } from '#lib/platform/db/in-transaction.ts'
import { releaseLeases, renewLeases } from '#lib/platform/db/lease.ts'
import { type RunningReplay, replayLeaseMs } from './replay-store.ts'

/** What came of one delivery. `error` is null when it was taken; `status` and `ms` are null when it was not posted. */
export interface DeliveryResult {
  readonly seq: bigint
  readonly status: number | null
  readonly ms: number | null
  readonly error: string | null
}

export type EndState = 'done' | 'failing'

/** Milliseconds of results written together, so that a quick receiver does not wait for our disk. */
const writeEvery = 250

/**
 * Stores the result of each delivery and the progress of a replay. Every write checks whether the replay goes
 * on: not when it was stopped or taken over.
 */
export class ReplayLedger {
  readonly #pool: pg.Pool
  readonly #replay: RunningReplay
  #notes: DeliveryResult[] = []
  #writtenAt = performance.now()

  constructor(pool: pg.Pool, replay: RunningReplay) {
    this.#pool = pool
    this.#replay = replay
  }

  add(result: DeliveryResult): void {
    this.#notes.push(result)
  }

  /** Writes when it is time to. False when the replay does not go on. */
  async writeIfDue(): Promise<boolean> {
    return performance.now() - this.#writtenAt < writeEvery || this.write()
  }

  /** False when the replay does not go on. */
  async write(end?: EndState): Promise<boolean> {
    const notes = this.#notes
    this.#notes = []
    const { id, lease } = this.#replay
    const state = await inTransaction(this.#pool, async (client) => {
      if (!(await renewLeases(client, [lease], replayLeaseMs))) return null
      const { rows } = await client.query<{ state: string }>(WRITE, [
        id,
        notes.map(({ seq }) => String(seq)),
        notes.map(({ status }) => status),
        notes.map(({ ms }) => ms),
        notes.map(({ error }) => error),
        end ?? 'running',
      ])
      if (end) await releaseLeases(client, [lease])
      return rows[0]?.state ?? null
    })
    this.#writtenAt = performance.now()
    return state === 'running'
  }
}

/** A stopped replay stays stopped, unless nothing is left. */
const WRITE = `
  WITH given AS (
    SELECT * FROM unnest($2::bigint[], $3::int[], $4::int[], $5::text[]) AS g (seq, status, ms, error)
  ), mine AS (
    UPDATE replay SET
      done = done + (SELECT count(*) FROM given), failed = failed + (SELECT count(*) FROM given WHERE error IS NOT NULL),
      position = GREATEST(position, (SELECT max(seq) FROM given)), last_progress_at = clock_timestamp(),
      state = CASE WHEN state = 'running' OR $6 = 'done' THEN $6 ELSE state END
    WHERE id = $1
    RETURNING id, state
  ), noted AS (
    UPDATE replay_delivery r SET at = clock_timestamp(), status = given.status, ms = given.ms, error = given.error
    FROM given, mine WHERE r.replay_id = mine.id AND r.seq = given.seq
  )
  SELECT state FROM mine`
