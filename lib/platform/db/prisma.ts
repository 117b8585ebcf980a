import 'server-only'
import { PrismaPg } from '@prisma/adapter-pg'
import type pg from 'pg'
import { env } from '../env.ts'
import { PrismaClient } from './generated/client.ts'
import { openPool } from './pool.ts'
import { poolSizes } from './pool-sizes.ts'

/** The process has one Prisma client, for everything except frequent statements. */
export function prisma(): PrismaClient {
  globalThis.rampartPrisma ??= openPrisma(openPool(env().databaseUrl, poolSizes().records))
  return globalThis.rampartPrisma
}

/**
 * A transaction waits this many milliseconds for a connection, longer than the pool does, so that the pool reports the
 * reason.
 */
const waitMs = 12_000

/** The client uses the connections of this pool, and closes it at its end. */
export function openPrisma(pool: pg.Pool): PrismaClient {
  const adapter = new PrismaPg(pool, { disposeExternalPool: true })
  return new PrismaClient({ adapter, transactionOptions: { maxWait: waitMs } })
}

declare global {
  var rampartPrisma: PrismaClient | undefined
}
