import 'server-only'
import type pg from 'pg'
import type { Running } from './replay-store.ts'

/** What came of one delivery. `error` is null when it was taken; `status` and `ms` are null when it was not posted. */
export interface NotedResult {
  readonly seq: bigint
  readonly status: number | null
  readonly ms: number | null
  readonly error: string | null
}

export type EndState = 'done' | 'failing'

/** Notes of a moment are written together, so that a quick receiver does not wait for our disk. Milliseconds. */
const writeEvery = 250

/**
 * Writes down what came of each delivery and how far a replay is. Every write asks whether it goes on: not when it was
 * stopped, nor when somebody else runs it by now.
 */
export class ReplayLedger {
  readonly #pool: pg.Pool
  readonly #replay: Running
  #notes: NotedResult[] = []
  #writtenAt = performance.now()

  constructor(pool: pg.Pool, replay: Running) {
    this.#pool = pool
    this.#replay = replay
  }

  note(result: NotedResult): void {
    this.#notes.push(result)
  }

  /** Writes when it is time to. False when the replay does not go on. */
  async keepUp(): Promise<boolean> {
    return performance.now() - this.#writtenAt < writeEvery || this.write()
  }

  /** False when the replay does not go on. */
  async write(end?: EndState): Promise<boolean> {
    const notes = this.#notes
    this.#notes = []
    const { rows } = await this.#pool.query<{ state: string }>(WRITE, [
      this.#replay.id,
      this.#replay.epoch,
      notes.map(({ seq }) => String(seq)),
      notes.map(({ status }) => status),
      notes.map(({ ms }) => ms),
      notes.map(({ error }) => error),
      end ?? 'running',
    ])
    this.#writtenAt = performance.now()
    return rows[0]?.state === 'running'
  }
}

/** Stopped, it stays so, unless nothing is left. */
const WRITE = `
  WITH given AS (
    SELECT * FROM unnest($3::bigint[], $4::int[], $5::int[], $6::text[]) AS g (seq, status, ms, error)
  ), mine AS (
    UPDATE replay SET
      done = done + (SELECT count(*) FROM given), failed = failed + (SELECT count(*) FROM given WHERE error IS NOT NULL),
      position = greatest(position, (SELECT max(seq) FROM given)), beat_at = clock_timestamp(),
      state = CASE WHEN state = 'running' OR $7 = 'done' THEN $7 ELSE state END
    WHERE id = $1 AND epoch = $2
    RETURNING id, state
  ), noted AS (
    UPDATE replay_delivery r SET at = clock_timestamp(), status = given.status, ms = given.ms, error = given.error
    FROM given, mine WHERE r.replay_id = mine.id AND r.seq = given.seq
  )
  SELECT state FROM mine`
