import 'server-only'
import type pg from 'pg'
import { rulesVersion } from '#lib/domain/rules-version.ts'

/** What the projector has before it. */
export interface Backlog {
  /** Deliveries that wait to be folded, without those of a rebuild. */
  readonly waiting: number
  /** For how long the oldest of them waits; null when none does. */
  readonly oldestSeconds: number | null
  /** Deliveries that could not be folded, see `setAside`. */
  readonly setAside: number
  /** Somebody holds the lease. */
  readonly active: boolean
  /** How far a rebuild is that has not finished. */
  readonly rebuild: { readonly done: number; readonly total: number } | null
  /** Rows were made by other rules than ours; whoever holds the lease has them made anew. */
  readonly outdated: boolean
}

export async function readBacklog(pool: pg.Pool): Promise<Backlog> {
  const { rows } = await pool.query<{
    waiting: number
    oldest_seconds: number | null
    set_aside: number
    active: boolean
    rebuild_done: number | null
    rebuild_total: number | null
    outdated: boolean
  }>(BACKLOG, [rulesVersion])
  const row = rows[0]
  return {
    waiting: row?.waiting ?? 0,
    oldestSeconds: row?.oldest_seconds ?? null,
    setAside: row?.set_aside ?? 0,
    active: row?.active ?? false,
    rebuild:
      row && row.rebuild_done !== null && row.rebuild_total !== null
        ? { done: row.rebuild_done, total: row.rebuild_total }
        : null,
    outdated: row?.outdated ?? false,
  }
}

const BACKLOG = `
  WITH queue AS (
    SELECT count(*) FILTER (WHERE set_aside_at IS NULL AND rebuild IS NULL)::int AS waiting,
           count(*) FILTER (WHERE set_aside_at IS NULL AND rebuild IS NOT NULL)::int AS rebuilding,
           count(*) FILTER (WHERE set_aside_at IS NOT NULL)::int AS set_aside
    FROM delivery_pending
  ), oldest AS (
    SELECT received_at FROM delivery_pending JOIN delivery ON id = delivery_id
    WHERE set_aside_at IS NULL AND rebuild IS NULL ORDER BY delivery_id LIMIT 1
  ), run AS (
    SELECT (value ->> 'marked')::int AS marked, (value ->> 'total')::int AS total FROM setting
    WHERE key = 'rebuild' AND value ->> 'finishedAt' IS NULL
  )
  SELECT waiting, set_aside,
         (SELECT greatest(0, extract(epoch FROM clock_timestamp() - received_at))::float8 FROM oldest) AS oldest_seconds,
         EXISTS (SELECT FROM lease WHERE name = 'projector' AND expires_at > clock_timestamp()) AS active,
         (SELECT marked - rebuilding FROM run) AS rebuild_done, (SELECT total FROM run) AS rebuild_total,
         EXISTS (SELECT FROM event_delivery) AND NOT EXISTS (
           SELECT FROM setting WHERE key = 'rules' AND value = to_jsonb($1::int)) AS outdated
  FROM queue`
