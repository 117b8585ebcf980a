import 'server-only'
import type pg from 'pg'
import { foldAgainSince, foldLearnt } from '#lib/deliveries/queue/fold-again.ts'
import { readClock } from '#lib/platform/db/clock.ts'
import { startRounds } from '#lib/platform/db/concurrency.ts'
import { inTransaction } from '#lib/platform/db/in-transaction.ts'
import { causeOf, limitedLog } from '#lib/platform/log/limited.ts'
import { logOf } from '#lib/platform/log.ts'
import type { Span } from '#lib/timeline/rules/decide-repeat.ts'
import { latestPauseRun } from '../rules/gap-periods.ts'
import { findPauses, type Outage, recordOutages } from './outages.ts'
import { recordEvidence } from './record-evidence.ts'

/** The heartbeat records every few seconds that this process accepts deliveries. */
export interface Heartbeat {
  /**
   * `stop` writes a last beat at an orderly end, which began `stoppingForMs` ago: attempts may have been refused
   * since then.
   */
  stop(stoppingForMs?: number): Promise<void>
}

/** A beat is due every `beatEveryMs`. A beat of another process within `freshForMs` makes our own unnecessary. */
const beatEveryMs = 3_000
const freshForMs = 1_500

/** Attempts to deliver may have failed after this many ms without a beat. */
const steadyForMs = 4_000

/** ASSUMED, in ms: a shorter pause is no gap, because the service tries again within 66 s (§6.8). */
const allowedPauseMs = 30_000

/** A process that starts within this time after another ended, in ms, replaces it. */
const replacesWithinMs = 10 * 60_000

/** Pauses are read this far back, in ms, to find a process that dies again and again. */
const lookBackMs = 3_600_000

/**
 * The heartbeat starts when deliveries are accepted. An unreachable database stops it, which counts as a pause too.
 * Each pause, start and end is kept as an outage, and a long pause, or many short ones, become a gap. `pool` must
 * be the pool that stores deliveries, because a beat is a commit like theirs.
 */
export async function startHeartbeat(pool: pg.Pool): Promise<Heartbeat> {
  await recordPause(pool, true).catch(noBeat)
  const beats = startRounds(() => beat(pool).catch(noBeat), beatEveryMs)
  return {
    async stop(stoppingForMs = 0) {
      await beats.stop()
      await beat(pool).catch(noBeat)
      await recordStop(pool, stoppingForMs).catch(noBeat)
    },
  }
}

/** The next beat shows how long the beats were missing. */
const noBeat = (error: unknown) =>
  limited.error(causeOf(error), { err: error }, 'The sign of life was not written')

const limited = limitedLog(logOf('heartbeat'))

/** All processes share one row, with times of the database's clock: it stops only while no process lives. */
async function beat(pool: pg.Pool): Promise<void> {
  const { rows } = await pool.query<{ fresh: boolean }>(IS_FRESH, [freshForMs])
  if (rows[0]?.fresh) return
  const { rowCount } = await pool.query(BEAT_WITHIN_PAUSE, [steadyForMs])
  if (rowCount === 0) await recordPause(pool, false)
}

/**
 * The pause is recorded in the transaction of the beat that ends it. A delivery stored within the pause shows that
 * deliveries were accepted although no beat was written.
 */
async function recordPause(pool: pg.Pool, isStart: boolean): Promise<void> {
  await inTransaction(pool, async (client) => {
    const last = await client.query<{ at: Date }>(`SELECT at FROM heartbeat WHERE name = 'ingest' FOR UPDATE`)
    const next = await client.query<{ at: Date; expected: boolean }>(BEAT)
    const [began, ended] = [last.rows[0]?.at.getTime(), next.rows[0]?.at.getTime()]
    if (began === undefined || ended === undefined || !next.rows[0]?.expected) return
    const pauses = await findPauses(client, { began, ended }, Math.max(1_000, (ended - began) / 500))
    const outages = pauses.map((pause): Outage => ({ ...pause, receiverId: null, why: 'no-beat' }))
    if (isStart) outages.push(...(await replacedOutage(client, ended)))
    await recordOutages(client, outages)
    await recordEvidence(
      client,
      'down',
      (await downtimes(client, { began, ended })).map((down) => ({ ...down, about: '', note: null })),
      ended,
    )
  })
  void foldLearnt(pool)
}

/** The result is one pause that is long enough, or the short pauses of the last hour when they follow each other. */
async function downtimes(client: pg.PoolClient, pause: Span): Promise<Span[]> {
  const long = await findPauses(client, pause, allowedPauseMs)
  if (long.length > 0) return long
  const { rows } = await client.query<{ began_at: Date; ended_at: Date }>(SHORT_PAUSES, [lookBackMs])
  const run = latestPauseRun(
    rows.map(({ began_at, ended_at }) => ({ began: began_at.getTime(), ended: ended_at.getTime() })),
  )
  return run ? [run] : []
}

/** The outage began when the replaced process ended; other processes may have answered meanwhile. */
async function replacedOutage(client: pg.PoolClient, ended: number): Promise<Outage[]> {
  const { rows } = await client.query<{ ended_at: Date }>(REPLACED, [replacesWithinMs])
  return rows.map(({ ended_at }) => ({ receiverId: null, began: ended_at.getTime(), ended, why: 'started' }))
}

async function recordStop(pool: pg.Pool, stoppingForMs: number): Promise<void> {
  const ended = await readClock(pool)
  const outage: Outage = { receiverId: null, began: ended - stoppingForMs, ended, why: 'stopped' }
  await inTransaction(pool, (tx) => recordOutages(tx, [outage]))
  // A stop waits for nothing else that is noted.
  await foldAgainSince(pool, outage.began, null)
}

const SHORT_PAUSES = `
  SELECT began_at, ended_at FROM outage
  WHERE why = 'no-beat' AND ended_at >= clock_timestamp() - $1 * interval '1 ms' ORDER BY began_at`

const REPLACED = `
  SELECT ended_at FROM outage AS gone
  WHERE why IN ('stopped', 'process-died') AND ended_at >= clock_timestamp() - $1 * interval '1 ms'
    AND NOT EXISTS (SELECT FROM outage WHERE why = 'started' AND began_at = gone.ended_at)
  ORDER BY ended_at LIMIT 1`

const IS_FRESH = `
  SELECT at BETWEEN clock_timestamp() - $1 * interval '1 ms' AND clock_timestamp() AS fresh
  FROM heartbeat WHERE name = 'ingest'`

/** The usual beat uses this statement. When the database's clock went back, `BEAT` updates the row instead. */
const BEAT_WITHIN_PAUSE = `
  UPDATE heartbeat SET at = clock_timestamp()
  WHERE name = 'ingest' AND at BETWEEN clock_timestamp() - $1 * interval '1 ms' AND clock_timestamp()`

/** No delivery was expected when there is no open receiver. */
const BEAT = `
  INSERT INTO heartbeat (name, at) VALUES ('ingest', clock_timestamp())
  ON CONFLICT (name) DO UPDATE SET at = EXCLUDED.at
  RETURNING at, EXISTS (SELECT FROM receiver WHERE state <> 'closed') AS expected`
