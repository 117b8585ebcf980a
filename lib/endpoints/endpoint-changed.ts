import 'server-only'
import type pg from 'pg'

/** Where a change of an endpoint is announced; the payload is the endpoint's uuid. */
export const endpointChannel = 'endpoint_changed'

/**
 * Wakes the watcher, so that nothing short goes unseen. After the commit and on its own, as `wakeProjectors` does. When
 * it is lost, the watcher looks within a minute.
 */
export async function announceEndpointChanged(pool: pg.Pool, endpointUuid: string): Promise<void> {
  await pool.query('SELECT pg_notify($1, $2)', [endpointChannel, endpointUuid])
}
