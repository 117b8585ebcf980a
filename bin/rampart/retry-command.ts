import { commandLine } from '#lib/audit/record-audit.ts'
import { openPool } from '#lib/db/pool.ts'
import { retryDeadLetters } from '#lib/dead-letters/retry-dead-letters.ts'
import { noCallSource } from '#lib/request/request-context.ts'
import { databaseAddress } from './database-address.ts'

/** Hands what was set aside to the projector once more. */
export async function retryCommand(): Promise<number> {
  const pool = openPool(databaseAddress(), 1)
  try {
    const retried = await retryDeadLetters(pool, { actor: commandLine }, noCallSource)
    console.log(
      retried === 0
        ? 'Nothing was set aside.'
        : `${retried} handed to the projector; "set-aside" shows what fails again.`,
    )
    return 0
  } finally {
    await pool.end()
  }
}
