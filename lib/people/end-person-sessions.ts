import 'server-only'
import type { z } from 'zod'
import { EndSessionsSchema, endSessionsAsAdmin } from '#lib/auth/end-sessions-as-admin.ts'
import { uuidField } from '#lib/forms/uuid-field.ts'
import type { Caller } from '#lib/request/caller.ts'
import type { CallSource } from '#lib/request/request-context.ts'
import { requirePermission } from '#lib/request/require-permission.ts'

export const EndPersonSessionsSchema = EndSessionsSchema.extend({
  userUuid: uuidField('This is not the uuid of a user.'),
})

/** Ends one session of a user of the service, or all of them. Throws `NotAllowed` and `Refused`. */
export async function endPersonSessions(
  caller: Caller,
  { userUuid, ...which }: z.output<typeof EndPersonSessionsSchema>,
  source: CallSource,
): Promise<{ readonly ended: number }> {
  requirePermission(caller, 'manage-people')
  const owner = { userUuid: userUuid.toLowerCase(), memberId: null }
  return endSessionsAsAdmin(caller, async () => owner, which, source)
}
