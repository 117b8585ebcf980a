import 'server-only'
import type { z } from 'zod'
import { type Caller, type CallSource, requirePermission } from '#lib/access/caller.ts'
import { EndSessionsSchema, endSessionsAsAdmin } from '#lib/identity/sessions/person-sessions.ts'
import { uuidField } from '#lib/platform/forms/fields.ts'

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
