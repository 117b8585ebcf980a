import 'server-only'
import { PrismaPg } from '@prisma/adapter-pg'
import { env } from '#lib/env.ts'
import { PrismaClient } from './generated/client.ts'
import { openPool } from './pool.ts'

/** The Prisma client of this process, for everything but the hot paths. */
export function prisma(): PrismaClient {
  globalThis.rampartPrisma ??= openPrisma(env().databaseUrl)
  return globalThis.rampartPrisma
}

export function openPrisma(connectionString: string): PrismaClient {
  return new PrismaClient({
    adapter: new PrismaPg(openPool(connectionString), { disposeExternalPool: true }),
  })
}

declare global {
  var rampartPrisma: PrismaClient | undefined
}
