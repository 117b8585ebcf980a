import 'server-only'
import type pg from 'pg'
import { requeueForRun } from '#lib/deliveries/queue/enqueue.ts'
import { isQueued, markDeadLetters, readQueueState } from '#lib/deliveries/queue/read-queue-state.ts'
import { lowestId } from '#lib/deliveries/queue/take.ts'
import { planOnce } from '#lib/platform/db/statements.ts'
import { rulesVersion } from '../rules/fold.ts'
import { someShardIsHeld } from './shard-leases.ts'

/** A part is the open work of a rebuild in one shard, or in the log. */
export interface RebuildPart {
  readonly rebuild: string
  readonly part: number
  readonly kind: 'subjects' | 'log'
  /** The cursor is the last finished subject, or the last finished delivery of the log. */
  readonly cursor: string
}

/** The parts of a rebuild have this progress after a slice. */
export interface SliceProgress {
  readonly rebuild: string
  readonly parts: readonly number[]
  readonly cursor: string
  /** The slice has this many deliveries. */
  readonly count: number
  /** This many of them are no longer in the log. */
  readonly kept: number
  readonly finished: boolean
}

/** The open parts of these shards belong to a rebuild by our own rules. Shard 0 also has the log. */
export async function readOpenParts(
  pool: pg.Pool,
  held: readonly number[],
  shards: number,
): Promise<RebuildPart[]> {
  const { rows } = await pool.query<{ rebuild: string; part: number; cursor: string }>({
    name: 'open-parts',
    text: OPEN,
    values: [rulesVersion, held.includes(0) ? [...held, shards] : held],
  })
  return rows.map((row) => ({ ...row, kind: row.part === shards ? 'log' : 'subjects' }))
}

/** One step reads this many subjects. */
const maxSubjects = 1_000

/**
 * The next wanted subjects after `cursor` have together about `size` deliveries, but at least one subject is
 * read. `last` is the last subject that was checked, null when there is none.
 */
export async function readNextSubjects(
  pool: pg.Pool,
  cursor: string,
  size: number,
  isWanted: (id: string) => boolean,
): Promise<{ readonly ids: readonly string[]; readonly count: number; readonly last: string | null }> {
  const { rows } = await pool.query<{ subject_id: string; n: number }>({
    name: 'next-subjects',
    text: NEXT_SUBJECTS,
    values: [cursor, maxSubjects],
  })
  const ids: string[] = []
  let count = 0
  let last: string | null = null
  for (const { subject_id, n } of rows) {
    if (count >= size) break
    last = subject_id
    if (!isWanted(subject_id)) continue
    ids.push(subject_id)
    count += n
  }
  return { ids, count, last }
}

/** One step scans this many deliveries of the log. */
const logPage = 5_000

/** The next deliveries of the log after `cursor` that belong to no subject and are not queued are found. */
export async function readNextMissing(
  pool: pg.Pool,
  cursor: string,
): Promise<{ readonly last: string | null; readonly missing: readonly string[] }> {
  const { rows } = await pool.query<{ last: string | null; missing: string[] }>({
    name: 'next-missing',
    text: NEXT_MISSING,
    values: [cursor === '' ? lowestId : cursor, logPage],
  })
  return rows[0] ?? { last: null, missing: [] }
}

/** The progress is stored; the last part also ends the rebuild. */
export async function saveProgress(
  client: pg.ClientBase,
  { rebuild, parts, cursor, count, kept, finished }: SliceProgress,
): Promise<void> {
  await client.query({
    name: 'move-on',
    text: MOVE_ON,
    values: [rebuild, parts, cursor, count, finished, kept],
  })
  if (finished) await endIfDone(client, rebuild)
}

/**
 * A rebuild ends when every part of it is done. Only one transaction at a time checks this: two that finish
 * their last parts together would each see the other's as open.
 */
export async function endIfDone(client: pg.ClientBase, rebuild: string): Promise<void> {
  await client.query('SELECT FROM rebuild WHERE id = $1 FOR UPDATE', [rebuild])
  await client.query(END, [rebuild])
}

/** A rebuild used this many deliveries that are no longer in the log. */
export async function countKept(pool: pg.Pool, rebuild: string): Promise<number> {
  const { rows } = await pool.query<{ kept: number }>(
    'SELECT COALESCE(sum(kept), 0)::float8 AS kept FROM rebuild_part WHERE rebuild_id = $1',
    [rebuild],
  )
  return rows[0]?.kept ?? 0
}

/** The subject cannot be rebuilt, so all its deliveries become dead letters. */
export async function writeSubjectAsDeadLetters(
  client: pg.ClientBase,
  subjectId: string,
  rebuild: string,
  reason: string,
): Promise<void> {
  const { rows } = await client.query<{ id: string }>(
    'SELECT delivery_id AS id FROM event_delivery WHERE subject_id = $1',
    [subjectId],
  )
  const ids = rows.map(({ id }) => id)
  await client.query(requeueForRun(ids, rebuild))
  await markDeadLetters(client, ids, reason)
}

const OPEN = `
  SELECT rebuild_id AS rebuild, part::int, cursor FROM rebuild JOIN rebuild_part ON rebuild_id = rebuild.id
  WHERE finished_at IS NULL AND rules_version = $1 AND NOT finished AND part = ANY($2::smallint[])`

/** The query uses only the primary key. The order is that of the key, whatever the language of the database. */
const NEXT_SUBJECTS = `
  SELECT subject_id, count(*)::int AS n FROM event_delivery WHERE subject_id > $1
  GROUP BY subject_id ORDER BY subject_id LIMIT $2`

const NEXT_MISSING = `
  WITH page AS MATERIALIZED (
    SELECT id FROM delivery WHERE id > $1::uuid ORDER BY id LIMIT $2
  ), folded AS MATERIALIZED (
    SELECT delivery_id AS id FROM event_delivery WHERE delivery_id = ANY(ARRAY(SELECT id FROM page))
  )
  SELECT (SELECT max(id::text) FROM page) AS last,
         COALESCE(array_agg(id) FILTER (WHERE missing), '{}') AS missing
  FROM (
    SELECT id, id NOT IN (SELECT id FROM folded) AND NOT ${isQueued('id')} AS missing
    FROM page
  ) AS looked`

const MOVE_ON = `
  UPDATE rebuild_part SET cursor = $3, finished = $5,
    done = done + CASE WHEN part = ($2::smallint[])[1] THEN $4 ELSE 0 END,
    kept = kept + CASE WHEN part = ($2::smallint[])[1] THEN $6 ELSE 0 END
  WHERE rebuild_id = $1 AND part = ANY($2::smallint[])`

/** The statement also records that all rows follow the rules of the rebuild. */
const END = `
  WITH ended AS (
    UPDATE rebuild SET finished_at = clock_timestamp()
    WHERE id = $1 AND finished_at IS NULL
      AND NOT EXISTS (SELECT FROM rebuild_part WHERE rebuild_id = $1 AND NOT finished)
    RETURNING rules_version
  )
  INSERT INTO setting (key, value) SELECT 'rules-version', to_jsonb(rules_version) FROM ended
  ON CONFLICT (key) DO UPDATE SET value = EXCLUDED.value, updated_at = now()`

/** The backlog is the work that the projectors have not done yet. */
export interface Backlog {
  /** This many deliveries wait to be folded, without those of a rebuild or replay. */
  readonly waiting: number
  /** The oldest of them has waited for this long; null when none waits. */
  readonly oldestSeconds: number | null
  /** This many deliveries could not be folded, see `markDeadLetters`. */
  readonly deadLetters: number
  /** True when a process holds a shard. */
  readonly active: boolean
  /** A rebuild has not finished; `kept` counts the deliveries in `done` that are no longer in the log. */
  readonly rebuild: { readonly done: number; readonly total: number; readonly kept: number } | null
  /** Rows were made by other rules than ours; the next holder of a shard has them rebuilt. */
  readonly outdated: boolean
}

export async function readBacklog(pool: pg.Pool): Promise<Backlog> {
  const [{ waiting, oldestSeconds, deadLetters }, { rows }] = await Promise.all([
    readQueueState(pool),
    pool.query<{
      active: boolean
      done: number | null
      kept: number | null
      total: number | null
      outdated: boolean
    }>({
      ...STATE,
      values: [rulesVersion],
    }),
  ])
  const { active = false, done = null, kept = null, total = null, outdated = false } = rows[0] ?? {}
  return {
    waiting,
    oldestSeconds,
    deadLetters: deadLetters,
    active,
    rebuild: done !== null && total !== null ? { done: Math.min(done, total), total, kept: kept ?? 0 } : null,
    outdated,
  }
}

const STATE = planOnce(`
  WITH run AS (SELECT id, total FROM rebuild WHERE finished_at IS NULL)
  SELECT ${someShardIsHeld} AS active,
         (SELECT total::float8 FROM run) AS total,
         (SELECT sum(done)::float8 FROM rebuild_part JOIN run ON rebuild_id = run.id) AS done,
         (SELECT sum(kept)::float8 FROM rebuild_part JOIN run ON rebuild_id = run.id) AS kept,
         EXISTS (SELECT 1 FROM event_delivery LIMIT 1) AND NOT EXISTS (
           SELECT 1 FROM setting WHERE key = 'rules-version' AND value = to_jsonb($1::int)) AS outdated`)
