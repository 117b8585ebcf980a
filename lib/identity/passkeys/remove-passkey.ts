import 'server-only'
import { z } from 'zod'
import type { Caller } from '#lib/access/caller.ts'
import type { CallSource } from '#lib/access/request-context.ts'
import { requireFreshSignIn } from '#lib/access/require-fresh-sign-in.ts'
import { recordAudit } from '#lib/audit/record-audit.ts'
import { inTransaction } from '#lib/platform/db/in-transaction.ts'
import { pool } from '#lib/platform/db/pool.ts'
import { uuidField } from '#lib/platform/forms/uuid-field.ts'
import { Refused } from '#lib/platform/refusals.ts'
import { isEnoughForStaff } from '../members/is-enough-for-staff.ts'
import { requireMember } from './add-own-passkey.ts'

export const RemovePasskeySchema = z.object({ passkeyId: uuidField('This is not the id of a passkey.') })

/**
 * Removes one of the caller's passkeys; the last one only while there is another way in.
 * Throws `SignInAgain` and `Refused`.
 */
export async function removePasskey(
  caller: Caller,
  { passkeyId }: z.output<typeof RemovePasskeySchema>,
  source: CallSource,
): Promise<{ readonly passkeyId: string }> {
  const memberId = requireMember(caller)
  requireFreshSignIn(caller)
  await inTransaction(pool(), async (tx) => {
    // Of two removals at once the second sees what the first has left.
    const { rows: members } = await tx.query<{ other_way: boolean }>(MEMBER, [
      memberId,
      isEnoughForStaff('code'),
    ])
    const { rows } = await tx.query<{ id: string }>(OWN, [memberId])
    if (!rows.some(({ id }) => id === passkeyId)) throw new Refused(passkeyGone)
    if (rows.length === 1 && !members[0]?.other_way) throw new Refused(lastOne)
    await tx.query('DELETE FROM passkey WHERE id = $1', [passkeyId])
    const entry = { actor: caller, action: 'passkey.remove', target: memberId, outcome: 'done' } as const
    await recordAudit(tx, { ...entry, details: { passkey: passkeyId } }, source)
  })
  return { passkeyId }
}

/** With a real service an account there is no way in for staff (decision 0042). */
const MEMBER = `
  SELECT sso_subject IS NOT NULL OR (user_uuid IS NOT NULL AND $2::boolean) AS other_way
  FROM member WHERE id = $1 FOR UPDATE`

const OWN = 'SELECT id FROM passkey WHERE member_id = $1'

/** The same words for a passkey that is gone and for somebody else’s. */
export const passkeyGone = {
  title: 'This passkey is gone already.',
  next: 'Reload the page to see which ones you have.',
}
const lastOne = {
  title: 'This is your only way in.',
  next: 'Nothing was removed. Add another passkey first, then remove this one.',
}
