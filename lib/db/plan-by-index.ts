import 'server-only'
import type pg from 'pg'

/**
 * For pools whose statements all look rows up by key. Without statistics, as in the first minutes of a large
 * import, the planner would read and sort whole tables.
 */
export async function planByIndex(client: pg.ClientBase): Promise<void> {
  await client.query(SETTINGS)
}

const SETTINGS = `
  SET enable_seqscan = off; SET enable_bitmapscan = off; SET enable_hashjoin = off; SET enable_mergejoin = off`
