import 'server-only'
import { pool } from '#lib/db/pool.ts'
import { may } from '#lib/domain/access/roles.ts'
import { eventTypes } from '#lib/domain/delivery/event-types.ts'
import { env } from '#lib/env.ts'
import type { Caller } from '#lib/request/caller.ts'
import type { Absence } from './found.ts'

/** What this installation knows of why something may not be here; null for roles that do not see endpoints. */
export async function readAbsence({ role }: Caller): Promise<Absence | null> {
  if (!may(role, 'see-endpoint-health')) return null
  const [periods, gaps] = await Promise.all([
    pool().query<{ since: Date | null; listening: string[] | null }>(PERIODS, []),
    pool().query<{ id: string; began_at: Date; ended_at: Date | null; count: bigint }>(GAPS, []),
  ])
  const { since = null, listening = null } = periods.rows[0] ?? {}
  const { serviceBaseUrl, sandboxUrl } = env()
  return {
    service: serviceBaseUrl.host,
    sandbox: sandboxUrl !== null && sandboxUrl !== undefined,
    since: since?.toISOString() ?? null,
    missingTypes:
      listening === null
        ? null
        : eventTypes.filter((type) => !listening.includes('*') && !listening.includes(type)),
    gaps: gaps.rows.map((row) => ({
      id: row.id,
      beganAt: row.began_at.toISOString(),
      endedAt: row.ended_at?.toISOString() ?? null,
    })),
    openGaps: Number(gaps.rows[0]?.count ?? 0),
  }
}

/** A period without an end is an endpoint that delivers now. */
const PERIODS = `
  SELECT (SELECT min(began_at) FROM receiver_period) AS since,
    (SELECT array_agg(DISTINCT type) FROM receiver_period, unnest(events) AS type WHERE ended_at IS NULL) AS listening`

const GAPS = `
  SELECT id, began_at, ended_at, count(*) OVER () AS count FROM gap WHERE outcome IS NULL
  ORDER BY began_at DESC, id DESC LIMIT 2`
