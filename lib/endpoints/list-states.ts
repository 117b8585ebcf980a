import 'server-only'
import { type Caller, requirePermission } from '#lib/access/caller.ts'
import { planOnce } from '#lib/platform/db/plan-once.ts'
import { pool } from '#lib/platform/db/pool.ts'

/** A time in which an endpoint was in one state. It was seen about once a minute; times are ISO 8601. */
export interface SeenState {
  readonly status: string
  /** When it was last seen in another state before: it changed after that. Null when it was never seen before. */
  readonly after: string | null
  /** When it was first seen in this one: it changed by then. */
  readonly by: string
  /** When it was first seen in another one again; null while it lasts. */
  readonly until: string | null
}

/** The states that an endpoint was seen in, the latest first, at most so many. Throws `NotAllowed`. */
export async function listStates(caller: Caller, endpointUuid: string, most = 20): Promise<SeenState[]> {
  requirePermission(caller, 'see-endpoint-health')
  const { rows } = await pool().query<StateRow>({ ...LIST, values: [endpointUuid, most] })
  return rows.map(({ status, after, by, until }) => ({
    status,
    after: after?.toISOString() ?? null,
    by: by.toISOString(),
    until: until?.toISOString() ?? null,
  }))
}

interface StateRow {
  readonly status: string
  readonly after: Date | null
  readonly by: Date
  readonly until: Date | null
}

const LIST = planOnce(`
  SELECT status, lag(seen_until) OVER in_order AS after, seen_from AS by, lead(seen_from) OVER in_order AS until
  FROM endpoint_state WHERE endpoint_uuid = $1::uuid
  WINDOW in_order AS (ORDER BY seen_from) ORDER BY seen_from DESC LIMIT $2`)

/** The state that an endpoint was last seen in, and when that was. */
export interface LastSeenState extends Pick<SeenState, 'status' | 'after' | 'by'> {
  readonly lastSeenAt: string
}

/** The state that each of these endpoints was last seen in, by its uuid. */
export async function readStatesSince(endpointUuids: readonly string[]): Promise<Map<string, LastSeenState>> {
  const { rows } = await pool().query<LastSeenRow>({ ...SINCE, values: [endpointUuids] })
  return new Map(
    rows.map(({ endpoint_uuid, status, after, by, last_seen_at }) => [
      endpoint_uuid,
      {
        status,
        after: after?.toISOString() ?? null,
        by: by.toISOString(),
        lastSeenAt: last_seen_at.toISOString(),
      },
    ]),
  )
}

interface LastSeenRow extends Omit<StateRow, 'until'> {
  readonly endpoint_uuid: string
  readonly last_seen_at: Date
}

const SINCE = planOnce(`
  SELECT wanted.endpoint_uuid, latest.status, latest.seen_from AS by, latest.seen_until AS last_seen_at,
    earlier.seen_until AS after
  FROM unnest($1::uuid[]) AS wanted (endpoint_uuid)
  CROSS JOIN LATERAL (
    SELECT status, seen_from, seen_until FROM endpoint_state AS state
    WHERE state.endpoint_uuid = wanted.endpoint_uuid ORDER BY seen_from DESC LIMIT 1
  ) AS latest
  LEFT JOIN LATERAL (
    SELECT seen_until FROM endpoint_state AS state
    WHERE state.endpoint_uuid = wanted.endpoint_uuid AND state.seen_from < latest.seen_from
    ORDER BY seen_from DESC LIMIT 1
  ) AS earlier ON true`)
