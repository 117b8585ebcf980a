import 'server-only'
import type { Caller } from '#lib/access/caller.ts'
import { requirePermission } from '#lib/access/require-permission.ts'
import { pool } from '#lib/platform/db/pool.ts'

/** An endpoint through which events came, even if it is gone by now. */
export interface EventSource {
  /** The service's. */
  readonly uuid: string
  /** As it was called when it was last seen; null when it never was. */
  readonly name: string | null
}

/** Newest first. Throws `NotAllowed`. */
export async function listEventSources(caller: Caller): Promise<EventSource[]> {
  requirePermission(caller, 'see-endpoint-health')
  const { rows } = await pool().query<EventSource>(SOURCES)
  return rows
}

const SOURCES = `
  SELECT endpoint_uuid AS uuid, max(name) AS name
  FROM receiver LEFT JOIN watched_endpoint USING (endpoint_uuid) WHERE endpoint_uuid IS NOT NULL
  GROUP BY endpoint_uuid ORDER BY max(created_at) DESC LIMIT 100`
