import 'server-only'
import { type Caller, requirePermission } from '#lib/access/caller.ts'
import { pool } from '#lib/platform/db/pool.ts'
import { onRefusal, Refused } from '#lib/platform/refusals.ts'
import { listEndpoints } from '../list-endpoints.ts'

/** An endpoint that deliveries came through, even if it is gone by now. */
export interface Source {
  /** The service's. */
  readonly uuid: string
  /** Its description, or its url when it has none; null when the service does not know it, or does not answer. */
  readonly name: string | null
}

/** Newest first. Throws `NotAllowed`. */
export async function listSources(caller: Caller): Promise<Source[]> {
  requirePermission(caller, 'replay-deliveries')
  const [{ rows }, endpoints] = await Promise.all([
    pool().query<{ uuid: string }>(
      'SELECT endpoint_uuid AS uuid FROM receiver GROUP BY endpoint_uuid HAVING endpoint_uuid IS NOT NULL ORDER BY max(created_at) DESC',
    ),
    listEndpoints(caller).catch(onRefusal(Refused, () => [])),
  ])
  const names = new Map(
    endpoints.map(({ uuid, description, url }) => [uuid.toLowerCase(), description || url]),
  )
  return rows.map(({ uuid }) => ({ uuid, name: names.get(uuid) ?? null }))
}
