import 'server-only'
import { z } from 'zod'
import type { Caller } from '#lib/access/caller.ts'
import type { CallSource } from '#lib/access/request-context.ts'
import { requirePermission } from '#lib/access/require-permission.ts'
import { recordAudit } from '#lib/audit/record-audit.ts'
import { inTransaction } from '#lib/platform/db/in-transaction.ts'
import { pool } from '#lib/platform/db/pool.ts'
import { uuidField } from '#lib/platform/forms/uuid-field.ts'
import { Refused } from '#lib/platform/refusals.ts'
import { withdrawLinks } from './withdraw-links.ts'

export const WithdrawInvitationSchema = z.object({
  invitationId: uuidField('This is not the id of an invitation.'),
})

/** Takes an invitation back; whoever has opened it and not finished is sent away. Throws `NotAllowed` and `Refused`. */
export async function withdrawInvitation(
  caller: Caller,
  { invitationId }: z.output<typeof WithdrawInvitationSchema>,
  source: CallSource,
): Promise<void> {
  requirePermission(caller, 'manage-team')
  const withdrawn = await inTransaction(pool(), async (tx) => {
    const { rows } = await tx.query<{ id: string }>(INVITATION, [invitationId])
    const count = await withdrawLinks(tx, rows)
    const outcome = count > 0 ? 'done' : 'refused'
    const entry = { actor: caller, action: 'invitation.withdraw', target: invitationId, outcome } as const
    await recordAudit(tx, entry, source)
    return count > 0
  })
  if (!withdrawn) throw new Refused(tooLate)
}

const INVITATION = `SELECT id FROM access_link WHERE id = $1 AND kind = 'invitation'`

const tooLate = {
  title: 'This invitation is not open any more.',
  next: 'It was used or withdrawn meanwhile. Look at the team: a member who should not be there can be removed.',
}
