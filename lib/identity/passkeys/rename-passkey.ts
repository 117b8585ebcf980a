import 'server-only'
import { z } from 'zod'
import type { Caller } from '#lib/access/caller.ts'
import { nothingToChange } from '#lib/access/nothing-to-change.ts'
import type { CallSource } from '#lib/access/request-context.ts'
import { recordAudit } from '#lib/audit/record-audit.ts'
import { inTransaction } from '#lib/platform/db/in-transaction.ts'
import { pool } from '#lib/platform/db/pool.ts'
import { uuidField } from '#lib/platform/forms/uuid-field.ts'
import { Refused } from '#lib/platform/refusals.ts'
import { requireMember } from './add-own-passkey.ts'
import { PasskeyNameSchema } from './passkey-name.ts'
import { passkeyGone } from './remove-passkey.ts'

export const RenamePasskeySchema = z.object({
  passkeyId: uuidField('This is not the id of a passkey.'),
  passkeyName: PasskeyNameSchema,
})

/** Gives one of the caller's passkeys another name. No fresh sign-in: it lets nobody in. Throws `Refused`. */
export async function renamePasskey(
  caller: Caller,
  { passkeyId, passkeyName }: z.output<typeof RenamePasskeySchema>,
  source: CallSource,
): Promise<{ readonly passkeyId: string }> {
  const memberId = requireMember(caller)
  await inTransaction(pool(), async (tx) => {
    const { rows } = await tx.query<{ name: string | null }>(HOLD, [passkeyId, memberId])
    const [found] = rows
    if (!found) throw new Refused(passkeyGone)
    if (found.name === passkeyName) throw new Refused(nothingToChange)
    await tx.query('UPDATE passkey SET name = $2 WHERE id = $1', [passkeyId, passkeyName])
    // Not what it is called: nothing is taken out of the audit when its owner is erased.
    const details = { passkey: passkeyId }
    const entry = { actor: caller, action: 'passkey.rename', target: memberId, outcome: 'done' } as const
    await recordAudit(tx, { ...entry, details }, source)
  })
  return { passkeyId }
}

const HOLD = 'SELECT name FROM passkey WHERE id = $1 AND member_id = $2 FOR UPDATE'
