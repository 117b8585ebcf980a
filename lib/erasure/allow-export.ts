import 'server-only'
import crypto from 'node:crypto'
import { z } from 'zod'
import { recordAudit } from '#lib/audit/record-audit.ts'
import { inTransaction } from '#lib/db/in-transaction.ts'
import { pool } from '#lib/db/pool.ts'
import { ReasonSchema } from '#lib/forms/reason.ts'
import { uuidField } from '#lib/forms/uuid-field.ts'
import { keyedDigest } from '#lib/keys/keyed-digest.ts'
import { tellAdmins } from '#lib/notices/tell-admins.ts'
import type { Caller } from '#lib/request/caller.ts'
import { NotAllowed } from '#lib/request/refusals.ts'
import type { CallSource } from '#lib/request/request-context.ts'
import { requireFreshSignIn } from '#lib/request/require-fresh-sign-in.ts'
import { requirePermission } from '#lib/request/require-permission.ts'
import { userData } from './user-data.ts'

export const ExportUserSchema = z.object({ userUuid: uuidField('This is not a uuid.'), reason: ReasonSchema })

/** How long a file may be fetched after it was allowed, in ms. */
const ticketMs = 60_000

/**
 * Allows this session to fetch all that is held of a person, for a minute, and tells the audit and all admins. Throws
 * `NotAllowed` and `SignInAgain`.
 */
export async function allowExport(
  caller: Caller,
  { userUuid, reason }: z.output<typeof ExportUserSchema>,
  source: CallSource,
): Promise<{ readonly userUuid: string; readonly ticket: string }> {
  requirePermission(caller, 'manage-people')
  requireFreshSignIn(caller)
  await inTransaction(pool(), async (tx) => {
    const entry = { actor: caller, action: 'user.export', target: userUuid, outcome: 'done', reason } as const
    await recordAudit(tx, entry, source)
    const facts = { what: 'all that is held of one user' }
    await tellAdmins(tx, { kind: 'data-exported', actor: caller, reason, facts })
  })
  const until = Date.now() + ticketMs
  return { userUuid, ticket: `${until}.${signatureOf(caller, userUuid, until)}` }
}

/** All that is held of a person, as JSON, for a session that was just allowed to fetch it. Throws `NotAllowed`. */
export function exportUser(caller: Caller, userUuid: string, ticket: string): AsyncGenerator<string> {
  requirePermission(caller, 'manage-people')
  const [until = '', signature = ''] = ticket.split('.')
  const wanted = Buffer.from(signatureOf(caller, userUuid, Number(until)))
  const given = Buffer.from(signature)
  const isSigned = given.length === wanted.length && crypto.timingSafeEqual(given, wanted)
  if (!isSigned || !(Number(until) > Date.now())) throw new NotAllowed()
  return userData(pool(), userUuid)
}

const signatureOf = ({ sessionId }: Caller, userUuid: string, until: number): string =>
  keyedDigest('export of a user', `${sessionId} ${userUuid} ${until}`).toString('base64url')
