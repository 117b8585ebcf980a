import { once } from 'node:events'
import { noCallSource } from '#lib/access/request-context.ts'
import { tellAdmins } from '#lib/audit/notices/tell-admins.ts'
import { commandLine, recordAudit } from '#lib/audit/record-audit.ts'
import { userData } from '#lib/people/erasure/user-data.ts'
import { inTransaction } from '#lib/platform/db/in-transaction.ts'
import { openPool } from '#lib/platform/db/pool.ts'
import { databaseAddress } from './database-address.ts'
import { readPersonWords } from './read-person-words.ts'

/** Prints all that is held of a person. */
export async function exportUserCommand(words: readonly string[]): Promise<number> {
  const asked = readPersonWords('export-user', words)
  if (!asked) return 2
  const { userUuid, reason } = asked
  const pool = openPool(databaseAddress(), 2)
  try {
    await inTransaction(pool, async (tx) => {
      const entry = {
        actor: commandLine,
        action: 'user.export',
        target: userUuid,
        outcome: 'done',
        reason,
      } as const
      await recordAudit(tx, entry, noCallSource)
      const facts = { what: 'all that is held of one user' }
      await tellAdmins(tx, { kind: 'data-exported', actor: null, reason, facts })
    })
    for await (const text of userData(pool, userUuid))
      if (!process.stdout.write(text)) await once(process.stdout, 'drain')
    return 0
  } finally {
    await pool.end()
  }
}
