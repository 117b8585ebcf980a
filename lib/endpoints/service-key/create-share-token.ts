import 'server-only'
import { z } from 'zod'
import { type Caller, type CallSource, requireFreshSignIn, requirePermission } from '#lib/access/caller.ts'
import { tellAdmins } from '#lib/audit/notices/notices.ts'
import { recordAudit, recordAuditAlone } from '#lib/audit/record-audit.ts'
import { inTransaction } from '#lib/platform/db/in-transaction.ts'
import { pool } from '#lib/platform/db/pool.ts'
import { ReasonSchema, uuidField } from '#lib/platform/forms/fields.ts'
import { Refused } from '#lib/platform/refusals.ts'
import { readSettings } from '#lib/platform/settings/settings.ts'
import { serviceRefusal } from '#lib/service/error-messages.ts'
import { ServiceError } from '#lib/service/errors.ts'
import { createShareToken } from '#lib/service/operations.ts'
import { serviceClient } from '#lib/service/service-client.ts'

export const ShareTokenSchema = z.object({
  userUuid: uuidField('This is not a user ID.'),
  reason: ReasonSchema,
})

/**
 * Another party takes over a user's verification with this token. It gives personal data to anybody who has it, so
 * it is shown once and not stored; its maker is stored. Throws `NotAllowed`, `SignInAgain` and `Refused`.
 */
export async function shareVerification(
  caller: Caller,
  { userUuid, reason }: z.output<typeof ShareTokenSchema>,
  source: CallSource,
): Promise<{ readonly token: string }> {
  requirePermission(caller, 'manage-settings')
  requireFreshSignIn(caller)
  if (!(await readSettings()).kycShareToken) throw new Refused('share-tokens-off')
  const entry = { actor: caller, action: 'user.share-verification', target: userUuid, reason } as const
  await recordAuditAlone({ ...entry, outcome: 'begun' }, source)
  try {
    const token = await createShareToken(serviceClient(), userUuid)
    await inTransaction(pool(), async (tx) => {
      await recordAudit(tx, { ...entry, outcome: 'done' }, source)
      await tx.query(KEEP, [userUuid, caller.id])
      const facts = { what: 'a token with which another party takes over one user’s verification' }
      await tellAdmins(tx, { kind: 'data-exported', actor: caller, reason, facts })
    })
    return { token }
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error
    const outcome = error.mayHaveTakenEffect ? 'unsure' : 'failed'
    await recordAuditAlone({ ...entry, outcome, details: { why: error.code } }, source)
    throw serviceRefusal(error, 'share-verification')
  }
}

/** The row is read on the day when the person leaves the team. */
const KEEP = 'INSERT INTO share_token (id, user_uuid, person) VALUES (gen_random_uuid(), $1, $2)'
