import 'server-only'
import type pg from 'pg'
import { limitConcurrency } from '#lib/platform/db/concurrency.ts'
import { pool, queryTimedOut } from '#lib/platform/db/pool.ts'
import { askReplica } from '#lib/platform/db/read-pools.ts'
import { Refused } from '#lib/platform/refusals.ts'
import type { QueryFunction } from './find-ids.ts'

/** One statement of a search may take this many milliseconds; PostgreSQL stops when its connection is closed. */
const longestMs = 5_000

/** This many statements of searches run at the same time: heartbeats, pages and deliveries share their connections. */
const atOnce = 4

/** This runs a statement of a search. Throws `Refused` when it takes too long. */
export const searchQuery: QueryFunction = (sql, values) => askInTime(pool(), sql, values)

/** The replica may be a moment behind. */
export const searchReplica: QueryFunction = (sql, values) =>
  askReplica((database) => askInTime(database, sql, values), isOfSearch)

async function askInTime<T extends pg.QueryResultRow>(
  database: pg.Pool,
  sql: string,
  values: unknown[],
): Promise<T[]> {
  globalThis.rampartSearchGate ??= limitConcurrency(atOnce)
  const statement = { text: sql, values, query_timeout: longestMs }
  return globalThis.rampartSearchGate(async () => {
    const { rows } = await database.query<T>(statement).catch(sayTooLong)
    return rows
  })
}

function sayTooLong(error: unknown): never {
  if (error instanceof Error && error.message === queryTimedOut) throw new Refused('search-too-slow')
  throw error
}

/** Another database would not be faster. */
const isOfSearch = (error: unknown) => error instanceof Refused

declare global {
  var rampartSearchGate: ReturnType<typeof limitConcurrency> | undefined
}
