import 'server-only'
import { z } from 'zod'
import type { Caller } from '#lib/access/caller.ts'
import { changedMeanwhile } from '#lib/access/changed-meanwhile.ts'
import { nothingToChange } from '#lib/access/nothing-to-change.ts'
import type { CallSource } from '#lib/access/request-context.ts'
import { requireFreshSignIn } from '#lib/access/require-fresh-sign-in.ts'
import { requirePermission } from '#lib/access/require-permission.ts'
import { staffRoles } from '#lib/access/rules/roles.ts'
import { inTransaction } from '#lib/platform/db/in-transaction.ts'
import { pool } from '#lib/platform/db/pool.ts'
import { ReasonSchema } from '#lib/platform/forms/reason.ts'
import { uuidField } from '#lib/platform/forms/uuid-field.ts'
import { Refused } from '#lib/platform/refusals.ts'
import { lockMember, requireOtherAdmin } from './lock-team.ts'
import { setRole } from './set-role.ts'

export const ChangeRoleSchema = z.object({
  memberId: uuidField('This is not the id of a member.'),
  role: z.enum(staffRoles, 'Choose a role.'),
  reason: ReasonSchema,
  /** The role that a page had shown. */
  seen: z.string().max(100).optional(),
})

/**
 * Gives a member another role and ends their sessions at once: they sign in again with the new one. The last admin stays
 * one. Throws `NotAllowed`, `SignInAgain` and `Refused`.
 */
export async function changeRole(
  caller: Caller,
  { memberId, role, reason, seen }: z.output<typeof ChangeRoleSchema>,
  source: CallSource,
): Promise<{ readonly memberId: string }> {
  requirePermission(caller, 'manage-team')
  requireFreshSignIn(caller)
  await inTransaction(pool(), async (tx) => {
    const member = await lockMember(tx, caller, memberId)
    if (member.role === role) throw new Refused(nothingToChange)
    if (seen !== undefined && seen !== member.role) throw new Refused(changedMeanwhile)
    if (member.role === 'admin') await requireOtherAdmin(tx, memberId)
    await setRole(tx, member, role, { actor: caller, reason }, source)
  })
  return { memberId }
}
