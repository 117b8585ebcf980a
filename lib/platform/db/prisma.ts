import 'server-only'
import { PrismaPg } from '@prisma/adapter-pg'
import type pg from 'pg'
import { env } from '../env.ts'
import { PrismaClient } from './generated/client.ts'
import { openPool } from './pool.ts'
import { poolSizes } from './pool-sizes.ts'

/** The Prisma client of this process, for everything but the hot paths. */
export function prisma(): PrismaClient {
  globalThis.rampartPrisma ??= openPrisma(openPool(env().databaseUrl, poolSizes().records))
  return globalThis.rampartPrisma
}

/** Milliseconds for which a transaction waits for a connection: as long as the pool has it wait, which then says why. */
const waitMs = 12_000

/** Asks by the connections of this pool, which it closes at its end. */
export function openPrisma(pool: pg.Pool): PrismaClient {
  const adapter = new PrismaPg(pool, { disposeExternalPool: true })
  return new PrismaClient({ adapter, transactionOptions: { maxWait: waitMs } })
}

declare global {
  var rampartPrisma: PrismaClient | undefined
}
