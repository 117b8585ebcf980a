import 'server-only'
import type pg from 'pg'
import { foldAgainSince } from '#lib/deliveries/queue/enqueue.ts'
import { inTransaction } from '#lib/platform/db/in-transaction.ts'
import { causeOf, limitedLog } from '#lib/platform/log/limited.ts'
import { logOf } from '#lib/platform/log.ts'
import type { Span } from '#lib/timeline/rules/decide-repeat.ts'
import { latestPauseRun } from '../rules/gap-periods.ts'
import { findPauses, type Outage, recordOutages } from './outages.ts'
import { recordEvidence } from './record-evidence.ts'

/** Says again and again that deliveries are taken here. */
export interface Heartbeat {
  /** An orderly end, which began so many ms ago: since then attempts may have been refused. Says it once more. */
  stop(stoppingForMs?: number): Promise<void>
}

/** Milliseconds between two beats, and for how long a beat of another process makes our own unnecessary. */
const beatEveryMs = 3_000
const freshForMs = 1_500

/** Without a beat for so many ms attempts to deliver may have failed. */
const steadyForMs = 4_000

/** ASSUMED: a pause that takes less, in ms, is no gap: the service tries again within 66 s (§6.8). */
const allowedPauseMs = 30_000

/** A process that starts so soon after another ended, in ms, takes its place. */
const replacesWithinMs = 10 * 60_000

/** How far back pauses are looked at to find a process that dies again and again, in ms. */
const lookBackMs = 3_600_000

/**
 * Started when deliveries are accepted. While the database is unreachable there is no beat, which counts as a
 * pause too. Each pause, start and end is kept as an outage, evidence for the timeline; a long one, or many short ones, are a
 * gap that people see.
 * @param pool the one that stores deliveries, since a beat is a commit like theirs
 */
export async function startHeartbeat(pool: pg.Pool): Promise<Heartbeat> {
  let lastBeat = recordPause(pool, true).catch(noBeat)
  const timer = setInterval(() => {
    lastBeat = lastBeat.then(() => beat(pool)).catch(noBeat)
  }, beatEveryMs)
  timer.unref()
  await lastBeat
  return {
    async stop(stoppingForMs = 0) {
      clearInterval(timer)
      await lastBeat
      await beat(pool).catch(noBeat)
      await recordStop(pool, stoppingForMs).catch(noBeat)
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
  const { rowCount } = await pool.query(BEAT_WITHIN_PAUSE, [steadyForMs])
  if (rowCount === 0) await recordPause(pool, false)
}

/**
 * Records the pause in the same transaction as the beat that ends it. A delivery stored within the pause shows that deliveries
 * were accepted although no beat was written.
 */
async function recordPause(pool: pg.Pool, isStart: boolean): Promise<void> {
  const since = await inTransaction(pool, async (client) => {
    const last = await client.query<{ at: Date }>(`SELECT at FROM heartbeat WHERE name = 'ingest' FOR UPDATE`)
    const next = await client.query<{ at: Date; expected: boolean }>(BEAT)
    const [began, ended] = [last.rows[0]?.at.getTime(), next.rows[0]?.at.getTime()]
    if (began === undefined || ended === undefined || !next.rows[0]?.expected) return null
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
    return outages.length === 0 ? null : Math.min(...outages.map((outage) => outage.began))
  })
  // Somewhat further back, for what a process that died in the midst of this may have left.
  if (since !== null) await foldAgainSince(pool, since - lastFoldMs, null)
}

/** Milliseconds from an outage that was kept to the folds that know of it. */
const lastFoldMs = 10_000

/** A pause that is long enough, or the short ones of the last hour when they follow each other. */
async function downtimes(client: pg.PoolClient, pause: Span): Promise<Span[]> {
  const long = await findPauses(client, pause, allowedPauseMs)
  if (long.length > 0) return long
  const { rows } = await client.query<{ began_at: Date; ended_at: Date }>(SHORT_PAUSES, [lookBackMs])
  const run = latestPauseRun(
    rows.map(({ began_at, ended_at }) => ({ began: began_at.getTime(), ended: ended_at.getTime() })),
  )
  return run ? [run] : []
}

/** Since the process ended whose place this one takes, while others may have answered. */
async function replacedOutage(client: pg.PoolClient, ended: number): Promise<Outage[]> {
  const { rows } = await client.query<{ ended_at: Date }>(REPLACED, [replacesWithinMs])
  return rows.map(({ ended_at }) => ({ receiverId: null, began: ended_at.getTime(), ended, why: 'started' }))
}

async function recordStop(pool: pg.Pool, stoppingForMs: number): Promise<void> {
  const { rows } = await pool.query<{ now: Date }>('SELECT clock_timestamp() AS now')
  const ended = rows[0]?.now.getTime() ?? Date.now()
  const outage: Outage = { receiverId: null, began: ended - stoppingForMs, ended, why: 'stopped' }
  await recordOutages(pool, [outage])
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

/** The usual beat. If the database's clock went back, the row is updated by `BEAT` instead. */
const BEAT_WITHIN_PAUSE = `
  UPDATE heartbeat SET at = clock_timestamp()
  WHERE name = 'ingest' AND at BETWEEN clock_timestamp() - $1 * interval '1 ms' AND clock_timestamp()`

/** Without any receiver nothing was expected. */
const BEAT = `
  INSERT INTO heartbeat (name, at) VALUES ('ingest', clock_timestamp())
  ON CONFLICT (name) DO UPDATE SET at = EXCLUDED.at
  RETURNING at, EXISTS (SELECT FROM receiver WHERE state <> 'closed') AS expected`
