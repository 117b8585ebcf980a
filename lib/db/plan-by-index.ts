import 'server-only'
import type pg from 'pg'

/**
 * For a pool whose every statement looks rows up by their keys. Left to itself the planner reads and sorts whole tables
 * while it knows of no statistics, as in the first minutes of a large import.
 */
export function planByIndex(pool: pg.Pool): void {
  pool.on('connect', (client) => {
    // Lost with its connection, and then needed no more.
    client.query(SETTINGS).catch(() => undefined)
  })
}

const SETTINGS = `
  SET enable_seqscan = off; SET enable_bitmapscan = off; SET enable_hashjoin = off; SET enable_mergejoin = off`
