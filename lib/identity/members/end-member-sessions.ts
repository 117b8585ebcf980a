import 'server-only'
import type { z } from 'zod'
import type { Caller } from '#lib/access/caller.ts'
import type { CallSource } from '#lib/access/request-context.ts'
import { requirePermission } from '#lib/access/require-permission.ts'
import { uuidField } from '#lib/platform/forms/uuid-field.ts'
import { EndSessionsSchema, endSessionsAsAdmin } from '../sessions/end-sessions-as-admin.ts'

export const EndMemberSessionsSchema = EndSessionsSchema.extend({
  memberId: uuidField('This is not the id of a member.'),
})

/** Ends one session of a member, or all of them. Throws `NotAllowed` and `Refused`. */
export async function endMemberSessions(
  caller: Caller,
  { memberId, ...which }: z.output<typeof EndMemberSessionsSchema>,
  source: CallSource,
): Promise<{ readonly ended: number }> {
  requirePermission(caller, 'manage-team')
  return endSessionsAsAdmin(
    caller,
    async (tx) => {
      const { rows } = await tx.query<{ user_uuid: string | null }>(MEMBER, [memberId])
      const [member] = rows
      return member ? { memberId, userUuid: member.user_uuid } : null
    },
    which,
    source,
  )
}

const MEMBER = 'SELECT user_uuid FROM member WHERE id = $1'
