import 'server-only'
import { z } from 'zod'
import { pool } from '#lib/db/pool.ts'
import { giveTicket, requireTicket } from '#lib/exports/export-ticket.ts'
import { ReasonSchema } from '#lib/forms/reason.ts'
import { uuidField } from '#lib/forms/uuid-field.ts'
import type { Caller } from '#lib/request/caller.ts'
import type { CallSource } from '#lib/request/request-context.ts'
import { requireFreshSignIn } from '#lib/request/require-fresh-sign-in.ts'
import { requirePermission } from '#lib/request/require-permission.ts'
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
