import 'server-only'
import { z } from 'zod'
import { type Caller, type CallSource, requireFreshSignIn, requirePermission } from '#lib/access/caller.ts'
import { giveTicket, requireTicket } from '#lib/audit/export-ticket.ts'
import { pool } from '#lib/platform/db/pool.ts'
import { ReasonSchema, uuidField } from '#lib/platform/forms/fields.ts'
import { userData } from './user-data.ts'

export const ExportUserSchema = z.object({ userUuid: uuidField('This is not a uuid.'), reason: ReasonSchema })

/** Allows this session to fetch all that is held of a person, for a minute. Throws `NotAllowed` and `SignInAgain`. */
export async function allowExport(
  caller: Caller,
  { userUuid, reason }: z.output<typeof ExportUserSchema>,
  source: CallSource,
): Promise<{ readonly ticket: string }> {
  requirePermission(caller, 'manage-people')
  requireFreshSignIn(caller)
  const entry = { action: 'user.export', target: userUuid } as const
  const what = 'all that is held of one user'
  return { ticket: await giveTicket(caller, { file: fileOf(userUuid), what, entry, reason }, source) }
}

/** All that is held of a person, as JSON, for a session that was just allowed to fetch it. Throws `NotAllowed`. */
export function exportUser(caller: Caller, userUuid: string, ticket: string): AsyncGenerator<string> {
  requirePermission(caller, 'manage-people')
  requireTicket(caller, fileOf(userUuid), ticket)
  return userData(pool(), userUuid)
}

const fileOf = (userUuid: string) => `user ${userUuid}`
