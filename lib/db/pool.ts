import 'server-only'
import pg from 'pg'
import { env } from '#lib/env.ts'

/**
 * The pool of the hot paths, one per process: what Next bundles and what the server runs share it.
 * An idle connection that breaks is dropped by the pool and made anew on the next query.
 */
export function pool(): pg.Pool {
  globalThis.rampartPool ??= openPool(env().databaseUrl)
  return globalThis.rampartPool
}

/** PostgreSQL's OID of bigint, which node-postgres reads as text; our order numbers are bigints. */
const BIGINT = 20

/**
 * A pool that survives the loss of its server. `max` connections; a query without an answer for `limit` milliseconds
 * fails and its connection is dropped, unless it says otherwise itself.
 */
export function openPool(connectionString: string, max = 10, limit?: number): pg.Pool {
  const opened = new pg.Pool({
    connectionString,
    max,
    connectionTimeoutMillis: 3_000,
    application_name: 'rampart',
    ...(limit === undefined ? {} : { query_timeout: limit }),
    types: {
      getTypeParser: (oid, format) => (oid === BIGINT ? BigInt : pg.types.getTypeParser(oid, format)),
    },
  })
  // Without a listener the loss of a connection would end the process: of an idle one, and of one on loan.
  opened.on('error', ignore)
  opened.on('connect', (client) => client.on('error', ignore))
  return opened
}

/** Whoever waits for an answer of this connection is told; the pool makes another. */
const ignore = () => undefined

declare global {
  var rampartPool: pg.Pool | undefined
}
