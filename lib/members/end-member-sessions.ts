import 'server-only'
import { z } from 'zod'
import { endSessionsOf } from '#lib/auth/end-sessions.ts'
import { inTransaction } from '#lib/db/in-transaction.ts'
import { pool } from '#lib/db/pool.ts'
import { ReasonSchema } from '#lib/forms/reason.ts'
import { uuidField } from '#lib/forms/uuid-field.ts'
import type { Caller } from '#lib/request/caller.ts'
import { Refused } from '#lib/request/refusals.ts'
import type { CallSource } from '#lib/request/request-context.ts'
import { requirePermission } from '#lib/request/require-permission.ts'

export const EndMemberSessionsSchema = z.object({
  memberId: uuidField('This is not the id of a member.'),
  /** All of them, when none is named. */
  sessionId: z.preprocess(
    (given) => (given === '' ? undefined : given),
    uuidField('This is not the id of a session.').optional(),
  ),
  reason: ReasonSchema,
})

/**
 * Ends one session of a member, or all of them, at once. No fresh sign-in: whoever sees something wrong is not to wait.
 * Throws `NotAllowed` and `Refused`.
 */
export async function endMemberSessions(
  caller: Caller,
  { memberId, sessionId, reason }: z.output<typeof EndMemberSessionsSchema>,
  source: CallSource,
): Promise<{ readonly ended: number }> {
  requirePermission(caller, 'manage-team')
  const ended = await inTransaction(pool(), async (tx) => {
    const { rows } = await tx.query<{ user_uuid: string | null }>(
      'SELECT user_uuid FROM member WHERE id = $1',
      [memberId],
    )
    const [member] = rows
    if (!member) return 0
    const owner = { memberId, userUuid: member.user_uuid }
    const only = sessionId === undefined ? {} : { only: sessionId }
    return endSessionsOf(tx, owner, { actor: caller, why: 'by-admin', reason, ...only }, source)
  })
  if (ended === 0) throw new Refused(nothing)
  return { ended }
}

const nothing = {
  title: 'There is no such session any more.',
  next: 'Reload the page to see where this person is signed in.',
}
