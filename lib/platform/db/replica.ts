import 'server-only'
import type pg from 'pg'
import { env } from '../env.ts'
import { causeOf, limitedLog } from '../log/limited.ts'
import { logOf } from '../log.ts'
import { openPool, pool } from './pool.ts'
import { poolSizes } from './pool-sizes.ts'

const limited = limitedLog(logOf('database'))

/**
 * Asks for what may be a moment old at `DATABASE_READ_URL`: the database itself where that is not set or does not answer.
 * @param isAnswer whether an error is no fault of the replica
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

/** Whether reads may lag behind writes. */
export const hasReplica = (): boolean => env().databaseReadUrl !== env().databaseUrl

/** For an orderly end. */
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
