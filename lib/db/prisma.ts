import 'server-only'
import { PrismaPg } from '@prisma/adapter-pg'
import type pg from 'pg'
import { env } from '#lib/env.ts'
import { PrismaClient } from './generated/client.ts'
import { openPool } from './pool.ts'

/** The Prisma client of this process, for everything but the hot paths. */
export function prisma(): PrismaClient {
  globalThis.rampartPrisma ??= openPrisma(openPool(env().databaseUrl))
  return globalThis.rampartPrisma
}

/** Asks by the connections of this pool, which it closes at its end. */
export function openPrisma(pool: pg.Pool): PrismaClient {
  return new PrismaClient({ adapter: new PrismaPg(pool, { disposeExternalPool: true }) })
}

declare global {
  var rampartPrisma: PrismaClient | undefined
}
