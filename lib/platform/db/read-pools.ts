import 'server-only'
import type pg from 'pg'
import { env } from '../env.ts'
import { causeOf, limitedLog } from '../log/limited.ts'
import { logOf } from '../log.ts'
import { inTransaction } from './in-transaction.ts'
import { openPool, outlastFailOver, pool, repeatOnFailOver } from './pool.ts'
import { poolSizes } from './pool-sizes.ts'

/**
 * `planByIndex` is for statements that look rows up by key. Without statistics, as in the first minutes of a large import,
 * the planner would read and sort whole tables.
 * @param scope until the transaction ends, or as long as a connection that is not shared lives
 */
export async function planByIndex(
  client: pg.ClientBase,
  scope: 'LOCAL' | 'SESSION' = 'SESSION',
): Promise<void> {
  await client.query(methods.map((method) => `SET ${scope} enable_${method} = off`).join(';'))
}

const methods = ['seqscan', 'bitmapscan', 'hashjoin', 'mergejoin']

/** A query may take this many milliseconds. */
const limitMs = 10_000

/** `Queryable` runs single queries, as a pool does. */
export interface Queryable {
  query<Row extends pg.QueryResultRow>(sql: string, values?: unknown[]): Promise<pg.QueryResult<Row>>
}

/**
 * `poolByIndex` is for statements that read many rows in index order and stop early. The planner underestimates the rows,
 * and would otherwise read and sort all of them.
 */
export function poolByIndex(): Queryable {
  globalThis.rampartPoolByIndex ??= open()
  return globalThis.rampartPoolByIndex
}

/** `closePoolByIndex` is part of an orderly stop. */
export async function closePoolByIndex(): Promise<void> {
  await globalThis.rampartPoolByIndex?.end()
  globalThis.rampartPoolByIndex = undefined
}

function open(): Queryable & { end(): Promise<void> } {
  const opened = outlastFailOver(openPool(env().databaseUrl, poolSizes().byIndex, limitMs))
  let ended: Promise<void> | undefined
  return {
    query: (sql, values) => queryByIndex(opened, sql, values),
    end: () => {
      ended ??= opened.end()
      return ended
    },
  }
}

/**
 * The query runs in a transaction, whose end resets the planner's settings. A pooler then gives the connection to others.
 */
export function queryByIndex<Row extends pg.QueryResultRow>(
  pool: pg.Pool,
  sql: string,
  values?: unknown[],
): Promise<pg.QueryResult<Row>> {
  const read = () =>
    inTransaction(pool, async (tx) => {
      await planByIndex(tx, 'LOCAL')
      return tx.query<Row>(sql, values)
    })
  return repeatOnFailOver(pool, read)
}

declare global {
  var rampartPoolByIndex: (Queryable & { end(): Promise<void> }) | undefined
}

const limited = limitedLog(logOf('database'))

/**
 * `askReplica` reads data that may be slightly old from `DATABASE_READ_URL`. It reads the database itself when that is not
 * set or does not answer.
 * @param isAnswer true for an error that is no fault of the replica
 */
export async function askReplica<T>(
  ask: (database: pg.Pool) => Promise<T>,
  isAnswer: (error: unknown) => boolean,
): Promise<T> {
  const replica = replicaPool()
  if (!replica) return ask(pool())
  return ask(replica).catch((error: unknown) => {
    if (isAnswer(error)) throw error
    limited.warn(causeOf(error), { err: error }, 'The replica did not answer; the database itself is asked')
    return ask(pool())
  })
}

/** `hasReplica` is true when reads may be behind writes. */
export const hasReplica = (): boolean => env().databaseReadUrl !== env().databaseUrl

/** `closeReplica` is part of an orderly stop. */
export async function closeReplica(): Promise<void> {
  await globalThis.rampartReplica?.end()
  globalThis.rampartReplica = undefined
}

function replicaPool(): pg.Pool | null {
  if (!hasReplica()) return null
  globalThis.rampartReplica ??= openPool(env().databaseReadUrl, poolSizes().pages)
  return globalThis.rampartReplica
}

declare global {
  var rampartReplica: pg.Pool | undefined
}
