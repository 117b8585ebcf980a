import 'server-only'
import type pg from 'pg'

/**
 * For each new connection of a pool whose every statement looks rows up by their keys. Left to itself the planner reads
 * and sorts whole tables while it knows of no statistics, as in the first minutes of a large import.
 */
export async function planByIndex(client: pg.ClientBase): Promise<void> {
  await client.query(SETTINGS)
}

const SETTINGS = `
  SET enable_seqscan = off; SET enable_bitmapscan = off; SET enable_hashjoin = off; SET enable_mergejoin = off`
