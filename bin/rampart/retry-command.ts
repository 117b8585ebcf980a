import { commandLine } from '#lib/audit/record-audit.ts'
import { noCallSource } from '#lib/auth/request-context.ts'
import { openPool } from '#lib/db/pool.ts'
import { openPrisma } from '#lib/db/prisma.ts'
import { handBack } from '#lib/set-aside/hand-back.ts'
import { databaseAddress } from './database-address.ts'

/** Hands what was set aside to the projector once more. */
export async function retryCommand(): Promise<number> {
  const url = databaseAddress()
  const [pool, prisma] = [openPool(url, 1), openPrisma(url)]
  try {
    const retried = await handBack({ pool, prisma }, { actor: commandLine }, noCallSource)
    console.log(
      retried === 0
        ? 'Nothing was set aside.'
        : `${retried} handed to the projector; "set-aside" shows what fails again.`,
    )
    return 0
  } finally {
    await prisma.$disconnect()
    await pool.end()
  }
}
