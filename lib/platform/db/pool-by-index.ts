import 'server-only'
import type pg from 'pg'
import { env } from '../env.ts'
import { inTransaction } from './in-transaction.ts'
import { planByIndex } from './plan-by-index.ts'
import { openPool } from './pool.ts'
import { poolSizes } from './pool-sizes.ts'

/** Milliseconds for a query. */
const limitMs = 10_000

/** What answers single queries; a pool does. */
export interface Queryable {
  query<Row extends pg.QueryResultRow>(sql: string, values?: unknown[]): Promise<pg.QueryResult<Row>>
}

/**
 * For statements that go through many rows in the order of an index and stop: the planner, who underrates how many there are,
 * would read and sort all of them.
 */
export function poolByIndex(): Queryable {
  globalThis.rampartPoolByIndex ??= open()
  return globalThis.rampartPoolByIndex
}

/** For an orderly end. */
export async function closePoolByIndex(): Promise<void> {
  await globalThis.rampartPoolByIndex?.end()
  globalThis.rampartPoolByIndex = undefined
}

function open(): Queryable & { end(): Promise<void> } {
  const opened = openPool(env().databaseUrl, poolSizes().byIndex, limitMs)
  let ended: Promise<void> | undefined
  return {
    query: (sql, values) => queryByIndex(opened, sql, values),
    end: () => {
      ended ??= opened.end()
      return ended
    },
  }
}

/** In a transaction, with which the planner's settings end: a pooler gives the connection to others then. */
export function queryByIndex<Row extends pg.QueryResultRow>(
  pool: pg.Pool,
  sql: string,
  values?: unknown[],
): Promise<pg.QueryResult<Row>> {
  return inTransaction(pool, async (tx) => {
    await planByIndex(tx, 'LOCAL')
    return tx.query<Row>(sql, values)
  })
}

declare global {
  var rampartPoolByIndex: (Queryable & { end(): Promise<void> }) | undefined
}
