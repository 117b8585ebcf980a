import 'server-only'
import type pg from 'pg'
import { env } from '#lib/env.ts'
import { causeOf, limitedLog } from '#lib/log/limited.ts'
import { logOf } from '#lib/log.ts'
import { openPool, pool } from './pool.ts'

const limited = limitedLog(logOf('database'))

/**
 * Reads what may be a moment old, from `DATABASE_READ_URL`: from the database itself where that is not set or does
 * not answer.
 */
export async function queryReplica<T extends pg.QueryResultRow>(
  sql: string,
  values: unknown[],
): Promise<T[]> {
  const replica = replicaPool()
  if (!replica) return (await pool().query<T>(sql, values)).rows
  const { rows } = await replica.query<T>(sql, values).catch((error: unknown) => {
    limited.warn(causeOf(error), { err: error }, 'The replica did not answer; the database itself is asked')
    return pool().query<T>(sql, values)
  })
  return rows
}

/** Whether reads may lag behind writes. */
export const hasReplica = (): boolean => env().databaseReadUrl !== env().databaseUrl

/** For an orderly end. */
export async function closeReplica(): Promise<void> {
  await globalThis.rampartReplica?.end()
  globalThis.rampartReplica = undefined
}

function replicaPool(): pg.Pool | null {
  if (!hasReplica()) return null
  globalThis.rampartReplica ??= openPool(env().databaseReadUrl)
  return globalThis.rampartReplica
}

declare global {
  var rampartReplica: pg.Pool | undefined
}
