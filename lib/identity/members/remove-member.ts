import 'server-only'
import { z } from 'zod'
import type { Caller } from '#lib/access/caller.ts'
import { roleLabels } from '#lib/access/labels/role-labels.ts'
import type { CallSource } from '#lib/access/request-context.ts'
import { requireFreshSignIn } from '#lib/access/require-fresh-sign-in.ts'
import { requirePermission } from '#lib/access/require-permission.ts'
import { tellAdmins } from '#lib/audit/notices/tell-admins.ts'
import { recordAudit } from '#lib/audit/record-audit.ts'
import { inTransaction } from '#lib/platform/db/in-transaction.ts'
import { pool } from '#lib/platform/db/pool.ts'
import { ReasonSchema } from '#lib/platform/forms/reason.ts'
import { uuidField } from '#lib/platform/forms/uuid-field.ts'
import { endSessionsOf } from '../sessions/end-sessions.ts'
import { lockMember, requireOtherAdmin } from './lock-team.ts'
import { withdrawLinksOf } from './withdraw-links-of.ts'

export const RemoveMemberSchema = z.object({
  memberId: uuidField('This is not the id of a member.'),
  reason: ReasonSchema,
})

/**
 * Takes somebody out of the team: their sessions, replays, passkeys and links end with it. What they made and saw is
 * listed by `listLeftBehind`. The last admin stays. Throws `NotAllowed`, `SignInAgain` and `Refused`.
 */
export async function removeMember(
  caller: Caller,
  { memberId, reason }: z.output<typeof RemoveMemberSchema>,
  source: CallSource,
): Promise<{ readonly memberId: string }> {
  requirePermission(caller, 'manage-team')
  requireFreshSignIn(caller)
  await inTransaction(pool(), async (tx) => {
    const member = await lockMember(tx, caller, memberId)
    if (member.role === 'admin') await requireOtherAdmin(tx, memberId)
    await tx.query('UPDATE member SET removed_at = now() WHERE id = $1', [memberId])
    await tx.query('DELETE FROM passkey WHERE member_id = $1', [memberId])
    const details = { role: member.role }
    const entry = { actor: caller, action: 'member.remove', target: memberId, outcome: 'done' } as const
    await recordAudit(tx, { ...entry, reason, details }, source)
    await endSessionsOf(tx, member, { actor: caller, why: 'member-removed', reason }, source)
    // After that they give out no further one.
    await withdrawLinksOf(tx, member)
    const facts = {
      member: member.name,
      before: member.role ? roleLabels[member.role] : 'an unknown role',
    }
    await tellAdmins(tx, { kind: 'member-removed', actor: caller, about: memberId, reason, facts })
  })
  return { memberId }
}
