import 'server-only'
import { pool } from '#lib/db/pool.ts'

/** When an endpoint was last seen in another state, null when it never was, and first in the one it is in. ISO 8601. */
export interface SeenOff {
  readonly after: string | null
  readonly by: string
}

/** Since when each of these endpoints that was last seen off is so, by its uuid. */
export async function readOffSince(endpointUuids: readonly string[]): Promise<Map<string, SeenOff>> {
  const { rows } = await pool().query<SeenOffRow>(OFF_SINCE, [endpointUuids])
  return new Map(
    rows.map(({ uuid, after, by }) => [uuid, { after: after?.toISOString() ?? null, by: by.toISOString() }]),
  )
}

interface SeenOffRow {
  readonly uuid: string
  readonly after: Date | null
  readonly by: Date
}

const OFF_SINCE = `
  SELECT wanted.uuid, latest.seen_from AS by, (
    SELECT max(seen_until) FROM endpoint_state AS before
    WHERE before.endpoint_uuid = wanted.uuid AND before.seen_from < latest.seen_from
  ) AS after
  FROM unnest($1::uuid[]) AS wanted (uuid)
  CROSS JOIN LATERAL (
    SELECT status, seen_from FROM endpoint_state AS state
    WHERE state.endpoint_uuid = wanted.uuid ORDER BY seen_from DESC LIMIT 1
  ) AS latest
  WHERE latest.status <> 'active'`
