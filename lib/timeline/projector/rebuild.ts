import 'server-only'
import crypto from 'node:crypto'
import type pg from 'pg'
import { wakeProjectors } from '#lib/deliveries/queue/enqueue.ts'
import { countDeadLetters, requeueDeadLetters } from '#lib/deliveries/queue/read-queue-state.ts'
import { shardCount } from '#lib/deliveries/rules/subject.ts'
import { inTransaction, type Transaction } from '#lib/platform/db/in-transaction.ts'
import { logOf } from '#lib/platform/log.ts'
import { rulesVersion } from '../rules/fold.ts'
import { MonthsLost, requireWholeLog } from './lost-months.ts'
import { endIfDone } from './rebuild-progress.ts'
import { failureCause } from './write-changes.ts'

/** The progress of a rebuild is counted in deliveries. */
export interface RebuildProgress {
  readonly done: number
  /** The total is an estimate in a large database. */
  readonly total: number
  readonly deadLetters: number
  /** This many of `done` are no longer in the log: their rows were made from the tables. */
  readonly kept: number
}

interface RebuildEnd extends RebuildProgress {
  readonly kind: 'finished' | 'interrupted'
}

/** The caller may record who began a run. */
type BeginNote = (tx: Transaction, rebuildId: string) => Promise<void>

/** The progress is read after this many milliseconds. */
const checkEvery = 200

/**
 * Everything is rebuilt from the log by the active projectors, and progress is reported. An unfinished run is
 * continued. When `signal` ends the waiting, the run itself continues. Decision 0030.
 */
export async function rebuild(
  pool: pg.Pool,
  options: {
    readonly signal: AbortSignal
    readonly onProgress: (progress: RebuildProgress) => void
    readonly shards?: number
    /** This runs in the transaction that begins a run, but not when an unfinished one is continued. */
    readonly onBegin?: BeginNote
  },
): Promise<RebuildEnd> {
  const { signal, onProgress, shards, onBegin } = options
  const patiently = retryUntilEnd(signal)
  const { id } = await patiently(() => beginRebuild(pool, shards, onBegin))
  await patiently(() => wakeProjectors(pool))
  for (;;) {
    const { finished, ...progress } = await patiently(() => readProgress(pool, id))
    onProgress(progress)
    if (finished) return { kind: 'finished', ...progress }
    if (signal.aborted) return { kind: 'interrupted', ...progress }
    await new Promise((resolve) => setTimeout(resolve, checkEvery))
  }
}

/** A database outage of a minute is tolerated, because every step can be repeated safely. */
const retryUntilEnd =
  (signal: AbortSignal) =>
  async <T>(step: () => Promise<T>): Promise<T> => {
    for (let left = 240; ; left--) {
      try {
        return await step()
      } catch (error) {
        if (failureCause(error) === 'delivery' || signal.aborted || left === 0) throw error
        await new Promise((resolve) => setTimeout(resolve, 250))
      }
    }
  }

/**
 * A run is started, or the unfinished one is returned and ended if every part of it is done. An unfinished run
 * of other rules is ended; until the new one finishes, the rows belong to no rules version. Dead letters are
 * tried again. Throws `MonthsLost`.
 */
export async function beginRebuild(
  pool: pg.Pool,
  shards = shardCount,
  onBegin?: BeginNote,
): Promise<{ readonly id: string; readonly resumed: boolean }> {
  await requireWholeLog(pool)
  const begun = await inTransaction(pool, async (client) => {
    await client.query(END_OF_OTHER_RULES, [rulesVersion])
    const { rows } = await client.query<{ id: string }>(BEGIN_RUN, [
      crypto.randomUUID(),
      rulesVersion,
      shards,
    ])
    if (rows[0]) {
      await client.query(OF_NO_RULES, [rulesVersion])
      await onBegin?.(client, rows[0].id)
    }
    const found = rows[0] ?? (await client.query<{ id: string }>(UNFINISHED)).rows[0]
    if (!found) return null
    const resumed = rows.length === 0
    if (resumed) await endIfDone(client, found.id)
    return { id: found.id, resumed }
  })
  if (!begun) return beginRebuild(pool, shards, onBegin)
  if (!begun.resumed) await requeueDeadLetters(pool)
  return begun
}

async function readProgress(pool: pg.Pool, id: string): Promise<RebuildProgress & { finished: boolean }> {
  const [{ rows }, deadLetters] = await Promise.all([
    pool.query<Omit<RebuildProgress, 'deadLetters'> & { finished: boolean }>(PROGRESS, [id]),
    countDeadLetters(pool),
  ])
  const { done, total, kept, finished } = rows[0] ?? goneLongAgo
  return { done: finished ? total : Math.min(done, total), total, kept, deadLetters, finished }
}

const goneLongAgo = { done: 0, total: 0, kept: 0, finished: true }

const END_OF_OTHER_RULES = `
  UPDATE rebuild SET finished_at = clock_timestamp() WHERE finished_at IS NULL AND rules_version <> $1`

/** The rows of a table, partitioned or not, are counted when that is fast; otherwise the planner's estimate is used. */
const countOf = (table: string) => `(
  SELECT CASE WHEN sum(reltuples) > 500000 THEN sum(reltuples)::bigint ELSE (SELECT count(*) FROM ${table}) END
  FROM pg_class WHERE oid = '${table}'::regclass
    OR oid IN (SELECT inhrelid FROM pg_inherits WHERE inhparent = '${table}'::regclass))`

const BEGIN_RUN = `
  WITH begun AS (
    INSERT INTO rebuild (id, rules_version, total)
    SELECT $1, $2, GREATEST(${countOf('delivery')}, ${countOf('event_delivery')})
    ON CONFLICT ((finished_at IS NULL)) WHERE finished_at IS NULL DO NOTHING
    RETURNING id
  ), parts AS (
    INSERT INTO rebuild_part (rebuild_id, part) SELECT id, part FROM begun, generate_series(0, $3::int) AS part
  )
  SELECT id FROM begun`

/** While rows of two rules versions coexist, no version is recorded. */
const OF_NO_RULES = `
  UPDATE setting SET value = '0', updated_at = now() WHERE key = 'rules-version' AND value <> to_jsonb($1::int)`

const UNFINISHED = 'SELECT id FROM rebuild WHERE finished_at IS NULL'

const PROGRESS = `
  SELECT total::float8 AS total, finished_at IS NOT NULL AS finished,
         (SELECT COALESCE(sum(done), 0)::float8 FROM rebuild_part WHERE rebuild_id = $1) AS done,
         (SELECT COALESCE(sum(kept), 0)::float8 FROM rebuild_part WHERE rebuild_id = $1) AS kept
  FROM rebuild WHERE id = $1`

const log = logOf('projector')

/**
 * A rebuild begins when other rules made the stored rows, or when a rebuild by other rules is running. A process calls this
 * after it took over a shard. Decision 0030. While the log lacks months, rows stay as they are.
 */
export async function rebuildIfRulesChanged(pool: pg.Pool, shards?: number): Promise<void> {
  const { rows } = await pool.query<{ made: number; others: boolean }>(RULES_OF_ROWS, [rulesVersion])
  const [row] = rows
  if (row && row.made === rulesVersion && !row.others) return
  try {
    const { resumed } = await beginRebuild(pool, shards)
    if (!resumed) log.info('The rows were made by other rules: everything is rebuilt, while all goes on.')
  } catch (error) {
    if (!(error instanceof MonthsLost)) throw error
    log.error(`The rows were made by other rules and stay so for now. ${error.message}`)
  }
}

/** The first rows of an empty database are made by our rules. */
const RULES_OF_ROWS = `
  WITH first AS (
    INSERT INTO setting (key, value) SELECT 'rules-version', to_jsonb($1::int)
    WHERE NOT EXISTS (SELECT 1 FROM event_delivery LIMIT 1) ON CONFLICT DO NOTHING
    RETURNING value
  ), made AS (
    SELECT value::int AS made FROM first UNION ALL SELECT value::int FROM setting WHERE key = 'rules-version'
  )
  SELECT made, EXISTS (SELECT 1 FROM rebuild WHERE finished_at IS NULL AND rules_version <> $1) AS others FROM made`
