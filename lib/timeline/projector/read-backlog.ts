import 'server-only'
import type pg from 'pg'
import { readQueueState } from '#lib/deliveries/queue/read-queue-state.ts'
import { planOnce } from '#lib/platform/db/statements.ts'
import { rulesVersion } from '../rules/fold.ts'
import { someShardIsHeld } from './shard-leases.ts'

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
