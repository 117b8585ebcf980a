import 'server-only'
import crypto from 'node:crypto'
import type pg from 'pg'
import { z } from 'zod'
import { inTransaction } from '#lib/db/in-transaction.ts'
import { rulesVersion } from '#lib/domain/rules-version.ts'
import { storedChannel } from '#lib/ingest/announce-stored.ts'
import { faultOf } from './fault-of.ts'

/** How far a rebuild is, in deliveries. */
export interface RebuildProgress {
  readonly done: number
  /** About, until everything is marked. */
  readonly total: number
  /** Could not be folded, see `setAside`. */
  readonly setAside: number
}

export interface RebuildEnd extends RebuildProgress {
  readonly kind: 'finished' | 'interrupted'
}

/** Deliveries marked at a time: what arrives meanwhile waits behind at most twice as many. */
const usualChunk = 1_000

/**
 * Has every delivery folded anew, the oldest first, by whichever projector is active; it alone writes. Goes on with a
 * run that was interrupted. Decision 0014.
 */
export async function rebuild(
  pool: pg.Pool,
  {
    signal,
    onProgress,
    chunk = usualChunk,
  }: {
    readonly signal: AbortSignal
    readonly onProgress: (progress: RebuildProgress) => void
    readonly chunk?: number
  },
): Promise<RebuildEnd> {
  const patiently = patientUntil(signal)
  const { id } = await patiently(() => beginRebuild(pool))
  for (;;) {
    const { waiting, more, ...progress } = await patiently(() => readProgress(pool, id))
    onProgress(progress)
    if (!more && waiting === 0) {
      await patiently(() => pool.query(FINISH, [id]))
      return { kind: 'finished', ...progress }
    }
    if (signal.aborted) return { kind: 'interrupted', ...progress }
    if (more && waiting < chunk) {
      await patiently(() => rebuildChunk(pool, id, chunk))
      await patiently(() => pool.query(`NOTIFY ${storedChannel}`))
    } else {
      await new Promise((resolve) => setTimeout(resolve, 20))
    }
  }
}

/** The database may be away for a minute; each of the steps can be done again when it is not known whether it was done. */
const patientUntil =
  (signal: AbortSignal) =>
  async <T>(step: () => Promise<T>): Promise<T> => {
    for (let left = 240; ; left--) {
      try {
        return await step()
      } catch (error) {
        if (faultOf(error) === 'delivery' || signal.aborted || left === 0) throw error
        await new Promise((resolve) => setTimeout(resolve, 250))
      }
    }
  }

/** Starts a run, or finds the one that was interrupted. One that other rules began is not gone on with. */
export async function beginRebuild(
  pool: pg.Pool,
): Promise<{ readonly id: string; readonly resumed: boolean }> {
  const { rows } = await pool.query<{ value: unknown }>(BEGIN_OR_RESUME, [crypto.randomUUID(), rulesVersion])
  const run = rows[0] && Run.parse(rows[0].value)
  if (run) return { id: run.id, resumed: false }
  const found = await pool.query<{ value: unknown }>(`SELECT value FROM setting WHERE key = 'rebuild'`)
  return { id: Run.parse(found.rows[0]?.value).id, resumed: true }
}

/**
 * Marks the next deliveries, and remembers how far it came, in one transaction.
 * @returns whether there may be more.
 */
export async function rebuildChunk(pool: pg.Pool, id: string, size: number): Promise<boolean> {
  return inTransaction(pool, (client) => markNext(client, id, size))
}

/** First the log, then those that only the tables still know. */
const stages = { log: 'kept', kept: 'marked', marked: 'marked' } as const

const Run = z.object({
  id: z.string(),
  stage: z.enum(['log', 'kept', 'marked']),
  /** The last delivery looked at in this stage. */
  after: z.string(),
  /** Whatever comes later is folded as it comes. */
  through: z.string(),
  marked: z.number(),
  total: z.number(),
  finishedAt: z.string().nullable(),
  /** The version of the rules that it was begun with. */
  rules: z.number().optional(),
})

async function markNext(client: pg.PoolClient, id: string, size: number): Promise<boolean> {
  const { rows } = await client.query<{ value: unknown }>(
    `SELECT value FROM setting WHERE key = 'rebuild' FOR UPDATE`,
  )
  const run = Run.parse(rows[0]?.value)
  if (run.id !== id || run.stage === 'marked') return false
  const seen = await client.query<{ last: string | null; marked: number }>(
    run.stage === 'log' ? MARK_LOGGED : MARK_KEPT,
    [id, run.after, run.through, size],
  )
  const { last, marked } = seen.rows[0] ?? { last: null, marked: 0 }
  const next = last === null ? { stage: stages[run.stage], after: smallest } : { after: last }
  const now = { ...run, ...next, marked: run.marked + marked }
  await client.query(`UPDATE setting SET value = $1, updated_at = now() WHERE key = 'rebuild'`, [
    { ...now, total: now.stage === 'marked' ? now.marked : Math.max(now.total, now.marked) },
  ])
  return now.stage !== 'marked'
}

async function readProgress(
  pool: pg.Pool,
  id: string,
): Promise<RebuildProgress & { waiting: number; more: boolean }> {
  const { rows } = await pool.query<{ value: unknown; waiting: number; set_aside: number }>(PROGRESS, [id])
  const row = rows[0]
  const { marked, total, stage, ...run } = Run.parse(row?.value)
  const [waiting, setAside] = [row?.waiting ?? 0, row?.set_aside ?? 0]
  const more = run.id === id && stage !== 'marked'
  return { done: marked - waiting - setAside, total, setAside, waiting, more }
}

const smallest = '00000000-0000-0000-0000-000000000000'

/** What retention dropped from the log is what the tables have more than the log, as long as they are whole. */
const BEGIN_OR_RESUME = `
  INSERT INTO setting (key, value)
  SELECT 'rebuild', jsonb_build_object(
    'id', $1::text, 'stage', 'log', 'after', '${smallest}', 'through', coalesce(last.id, '${smallest}'),
    'marked', 0, 'total', greatest(logged.n, kept.n), 'finishedAt', NULL, 'rules', $2::int
  )
  FROM (SELECT count(*) AS n FROM delivery) logged, (SELECT count(*) AS n FROM event_delivery) kept,
    (SELECT max(id::text) AS id FROM (
      (SELECT id FROM delivery ORDER BY id DESC LIMIT 1)
      UNION ALL
      (SELECT delivery_id FROM event_delivery ORDER BY delivery_id DESC LIMIT 1)
    ) AS lasts) last
  ON CONFLICT (key) DO UPDATE SET value = EXCLUDED.value, updated_at = now()
  WHERE setting.value ->> 'finishedAt' IS NOT NULL OR (setting.value ->> 'rules')::int IS DISTINCT FROM $2
  RETURNING value`

/** The head of what was not looked at yet, marked; in order, as everybody locks the queue's rows. */
const mark = (source: string) => `
  WITH head AS MATERIALIZED (${source}), marked AS (
    INSERT INTO delivery_pending (delivery_id, rebuild)
    SELECT id, $1 FROM head WHERE wanted ORDER BY id
    ON CONFLICT (delivery_id) DO UPDATE SET rebuild = EXCLUDED.rebuild, set_aside_at = NULL, error = NULL
    RETURNING 1
  )
  SELECT (SELECT max(id::text) FROM head) AS last, (SELECT count(*)::int FROM marked) AS marked`

const MARK_LOGGED = mark(`
  SELECT id, true AS wanted FROM delivery WHERE id > $2 AND id <= $3 ORDER BY id LIMIT $4`)

const MARK_KEPT = mark(`
  SELECT DISTINCT id, NOT EXISTS (SELECT FROM delivery WHERE delivery.id = kept.id) AS wanted
  FROM (
    SELECT delivery_id AS id FROM event_delivery WHERE delivery_id > $2 AND delivery_id <= $3
    ORDER BY delivery_id LIMIT $4
  ) AS kept`)

const PROGRESS = `
  SELECT value, (SELECT count(*)::int FROM delivery_pending WHERE rebuild = $1 AND set_aside_at IS NULL) AS waiting,
         (SELECT count(*)::int FROM delivery_pending WHERE rebuild = $1 AND set_aside_at IS NOT NULL) AS set_aside
  FROM setting WHERE key = 'rebuild'`

const FINISH = `
  UPDATE setting SET value = value || jsonb_build_object('finishedAt', now()), updated_at = now()
  WHERE key = 'rebuild' AND value ->> 'id' = $1`
