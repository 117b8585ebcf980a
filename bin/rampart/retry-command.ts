import { noCallSource } from '#lib/access/request-context.ts'
import { commandLine } from '#lib/audit/record-audit.ts'
import { retryDeadLetters } from '#lib/operations/dead-letters/retry-dead-letters.ts'
import { openPool } from '#lib/platform/db/pool.ts'
import { databaseAddress } from './database-address.ts'

/** Gives the dead letters back to the projector. */
export async function retryCommand(): Promise<number> {
  const pool = openPool(databaseAddress(), 1)
  try {
    const retried = await retryDeadLetters(pool, { actor: commandLine }, noCallSource)
    console.log(
      retried === 0
        ? 'There are no dead letters.'
        : `${retried} given back to the projector; "dead-letters" shows what fails again.`,
    )
    return 0
  } finally {
    await pool.end()
  }
}
