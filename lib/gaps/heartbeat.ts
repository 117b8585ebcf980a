import 'server-only'
import type pg from 'pg'
import { inTransaction } from '#lib/db/in-transaction.ts'
import { causeOf, limitedLog } from '#lib/log/limited.ts'
import { logOf } from '#lib/log.ts'
import { findPauses } from './find-pauses.ts'
import { recordEvidence } from './record-evidence.ts'

/** Says again and again that deliveries are taken here. */
export interface Heartbeat {
  /** An orderly end: says it once more. */
  stop(): Promise<void>
}

/** Milliseconds between two beats, and for how long a beat of another process makes our own unnecessary. */
const beatEveryMs = 3_000
const freshForMs = 1_500

/** ASSUMED: a restart that takes less, in ms, is no gap: the service tries again within 66 s (§6.8). */
const allowedPauseMs = 30_000

/**
 * Started when deliveries are accepted. While the database is unreachable there is no beat, which counts as a
 * gap too.
 * @param pool the one that stores deliveries, since a beat is a commit like theirs
 */
export async function startHeartbeat(pool: pg.Pool): Promise<Heartbeat> {
  let lastBeat = beat(pool).catch(noBeat)
  const timer = setInterval(() => {
    lastBeat = lastBeat.then(() => beat(pool)).catch(noBeat)
  }, beatEveryMs)
  timer.unref()
  await lastBeat
  return {
    async stop() {
      clearInterval(timer)
      await lastBeat
      await beat(pool).catch(noBeat)
    },
  }
}

/** The next beat shows how long there was none. */
const noBeat = (error: unknown) =>
  limited.error(causeOf(error), { err: error }, 'The sign of life was not written')

const limited = limitedLog(logOf('heartbeat'))

/** All processes share one row, timed by the database's clock: it stops only while no process lives. */
async function beat(pool: pg.Pool): Promise<void> {
  const { rows } = await pool.query<{ fresh: boolean }>(IS_FRESH, [freshForMs])
  if (rows[0]?.fresh) return
  const { rowCount } = await pool.query(BEAT_WITHIN_PAUSE, [allowedPauseMs])
  if (rowCount === 0) await recordPause(pool)
}

/**
 * Records the pause in the same transaction. A delivery stored within the pause shows that deliveries were
 * accepted although no beat was written.
 */
async function recordPause(pool: pg.Pool): Promise<void> {
  await inTransaction(pool, async (client) => {
    const last = await client.query<{ at: Date }>(`SELECT at FROM heartbeat WHERE name = 'ingest' FOR UPDATE`)
    const next = await client.query<{ at: Date; expected: boolean }>(BEAT)
    const [began, ended] = [last.rows[0]?.at.getTime(), next.rows[0]?.at.getTime()]
    if (began === undefined || ended === undefined || ended - began < allowedPauseMs) return
    if (!next.rows[0]?.expected) return
    const pauses = await findPauses(client, { began, ended }, allowedPauseMs)
    await recordEvidence(
      client,
      'down',
      pauses.map((pause) => ({ ...pause, about: '', note: null })),
      ended,
    )
  })
}

const IS_FRESH = `
  SELECT at BETWEEN clock_timestamp() - $1 * interval '1 ms' AND clock_timestamp() AS fresh
  FROM heartbeat WHERE name = 'ingest'`

/** The usual beat. If the database's clock went back, the row is updated by `BEAT` instead. */
const BEAT_WITHIN_PAUSE = `
  UPDATE heartbeat SET at = clock_timestamp()
  WHERE name = 'ingest' AND at BETWEEN clock_timestamp() - $1 * interval '1 ms' AND clock_timestamp()`

/** Without any receiver nothing was expected. */
const BEAT = `
  INSERT INTO heartbeat (name, at) VALUES ('ingest', clock_timestamp())
  ON CONFLICT (name) DO UPDATE SET at = EXCLUDED.at
  RETURNING at, EXISTS (SELECT FROM receiver WHERE state <> 'closed') AS expected`
