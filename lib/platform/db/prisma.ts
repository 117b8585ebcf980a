import 'server-only'
import { PrismaPg } from '@prisma/adapter-pg'
import type pg from 'pg'
import { PrismaClient } from './generated/client.ts'
import { pool } from './pool.ts'

/** The process has one Prisma client, for everything except frequent statements. */
export function prisma(): PrismaClient {
  globalThis.rampartPrisma ??= openPrisma(pool())
  return globalThis.rampartPrisma
}

/**
 * A transaction waits this many milliseconds for a connection, longer than the pool does, so that the pool reports the
 * reason.
 */
const waitMs = 12_000

/** The client uses this pool, and does not close it. */
export function openPrisma(pool: pg.Pool): PrismaClient {
  const adapter = new PrismaPg(pool)
  return new PrismaClient({ adapter, transactionOptions: { maxWait: waitMs } })
}

declare global {
  var rampartPrisma: PrismaClient | undefined
}
