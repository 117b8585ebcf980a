import 'server-only'
import type { Role } from '#lib/access/rules/roles.ts'
import { visibilityOf } from '#lib/access/rules/visibility.ts'
import { eventTypes } from '#lib/deliveries/rules/event-types.ts'
import { firstUuidv7 } from '#lib/platform/db/partitions.ts'
import { planOnce } from '#lib/platform/db/plan-once.ts'
import { pool } from '#lib/platform/db/pool.ts'
import { type Total, upTo } from '#lib/platform/paging/paging.ts'
import { happenedDays } from '../rules/look-kinds.ts'
import { most } from './looks.ts'

/** An unknown type has no label in this version, or is missing. */
export interface UnknownType {
  /** The type is unchanged; null for bodies without a type, such as unreadable ones. */
  readonly type: string | null
  readonly total: Total
  /** The time is ISO 8601. */
  readonly latestAt: string
}

/** At most this many unknown types are listed. */
const mostTypes = 20

/**
 * The types are those of the last `happenedDays` days, the most frequent first. The list is empty for a role that may
 * not see them.
 */
export async function countUnknownTypes(role: Role): Promise<UnknownType[]> {
  if (visibilityOf(role, 'unknown') === 'hidden') return []
  const from = firstUuidv7(Date.now() - happenedDays * 86_400_000)
  const { rows } = await pool().query<{ type: string | null; count: number; latest_at: Date }>({
    ...COUNT,
    values: [eventTypes, from],
  })
  return rows.map(({ type, count, latest_at }) => ({
    type,
    total: upTo(count),
    latestAt: latest_at.toISOString(),
  }))
}

/** Each type is found by an index probe after the previous one. Events without a type are last in the index. */
const COUNT = planOnce(`
  WITH RECURSIVE found (type, nth) AS (
    (SELECT type, 1 FROM event WHERE type IS NOT NULL ORDER BY type LIMIT 1)
    UNION ALL
    SELECT next.type, nth + 1 FROM found, LATERAL (
      SELECT event.type FROM event WHERE event.type > found.type ORDER BY event.type LIMIT 1
    ) AS next
    WHERE nth < ${mostTypes + eventTypes.length}
  ), unknown AS (
    SELECT type FROM found WHERE type <> ALL($1) UNION ALL SELECT NULL
  )
  SELECT unknown.type, counted.* FROM unknown, LATERAL (
    SELECT count(*)::int AS count, max(first_received_at) AS latest_at FROM (
      (SELECT first_received_at FROM event WHERE event.type = unknown.type AND id >= $2 ORDER BY id DESC LIMIT ${most})
      UNION ALL
      (SELECT first_received_at FROM event WHERE unknown.type IS NULL AND event.type IS NULL AND id >= $2
       ORDER BY id DESC LIMIT ${most})
    ) AS lately
  ) AS counted
  WHERE counted.count > 0 ORDER BY counted.count DESC, unknown.type`)
