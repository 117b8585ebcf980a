import { noCallSource } from '#lib/access/request-context.ts'
import { tellAdmins } from '#lib/audit/notices/tell-admins.ts'
import { commandLine, recordAudit } from '#lib/audit/record-audit.ts'
import { beginErasure } from '#lib/people/erasure/begin-erasure.ts'
import { isFinished } from '#lib/people/erasure/erasure-store.ts'
import { runErasure } from '#lib/people/erasure/run-erasure.ts'
import { inTransaction } from '#lib/platform/db/in-transaction.ts'
import { openPool } from '#lib/platform/db/pool.ts'
import { Refused } from '#lib/platform/refusals.ts'
import { databaseAddress } from './database-address.ts'
import { readPersonWords } from './read-person-words.ts'

/** Erases a person and waits until it is done; where this is interrupted, Rampart goes on with it. */
export async function eraseUserCommand(words: readonly string[]): Promise<number> {
  const asked = readPersonWords('erase-user', words)
  if (!asked) return 2
  const { userUuid, reason } = asked
  const pool = openPool(databaseAddress(), 2)
  try {
    const id = await inTransaction(pool, async (tx) => {
      const begun = await beginErasure(tx, userUuid)
      const entry = {
        actor: commandLine,
        action: 'user.erase',
        target: begun,
        outcome: 'begun',
        reason,
      } as const
      await recordAudit(tx, entry, noCallSource)
      await tellAdmins(tx, { kind: 'person-erased', actor: null, about: begun, reason })
      return begun
    })
    console.log(`Removed from the directory and from signing in; the mark is ${id}.`)
    let left = await runErasure(pool, id)
    while (left === null && !(await isFinished(pool, id))) {
      await new Promise((resolve) => setTimeout(resolve, 500))
      left = await runErasure(pool, id)
    }
    console.log('Done: nothing that was received tells of this person any more.')
    return 0
  } catch (error) {
    if (!(error instanceof Refused)) throw error
    console.error(`${error.title} ${error.next}`)
    return 1
  } finally {
    await pool.end()
  }
}
