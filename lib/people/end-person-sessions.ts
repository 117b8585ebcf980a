import 'server-only'
import type { z } from 'zod'
import type { Caller } from '#lib/access/caller.ts'
import type { CallSource } from '#lib/access/request-context.ts'
import { requirePermission } from '#lib/access/require-permission.ts'
import { EndSessionsSchema, endSessionsAsAdmin } from '#lib/identity/sessions/end-sessions-as-admin.ts'
import { uuidField } from '#lib/platform/forms/uuid-field.ts'

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
