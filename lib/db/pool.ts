import 'server-only'
import pg from 'pg'
import { env } from '#lib/env.ts'

/** PostgreSQL answers bigint (OID 20) as text; ours are order numbers, read as bigint. */
pg.types.setTypeParser(20, (text) => BigInt(text))

/**
 * The pool of the hot paths, one per process: what Next bundles and what the server runs share it.
 * An idle connection that breaks is dropped by the pool and made anew on the next query.
 */
export function pool(): pg.Pool {
  globalThis.rampartPool ??= openPool(env().databaseUrl)
  return globalThis.rampartPool
}

/** A pool that survives the loss of its server. `max` connections. */
export function openPool(connectionString: string, max = 10): pg.Pool {
  const opened = new pg.Pool({
    connectionString,
    max,
    connectionTimeoutMillis: 3_000,
    application_name: 'rampart',
  })
  // Without a listener the loss of an idle connection would end the process.
  opened.on('error', () => {})
  return opened
}

declare global {
  var rampartPool: pg.Pool | undefined
}
