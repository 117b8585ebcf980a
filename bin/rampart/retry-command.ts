import { commandLine } from '#lib/audit/record-audit.ts'
import { openPool } from '#lib/db/pool.ts'
import { retryDeadLetters } from '#lib/dead-letters/retry-dead-letters.ts'
import { noCallSource } from '#lib/request/request-context.ts'
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
