import 'server-only'
import { z } from 'zod'
import { type Caller, type CallSource, requireFreshSignIn, requirePermission } from '#lib/access/caller.ts'
import { tellAdmins } from '#lib/audit/notices/notices.ts'
import { recordAudit } from '#lib/audit/record-audit.ts'
import { inTransaction } from '#lib/platform/db/in-transaction.ts'
import { pool } from '#lib/platform/db/pool.ts'
import { ReasonSchema, uuidField } from '#lib/platform/forms/fields.ts'
import { logOf } from '#lib/platform/log.ts'
import { beginErasure } from './begin-erasure.ts'
import { runErasure } from './run-erasure.ts'

const log = logOf('erasure')

export const EraseUserSchema = z.object({ userUuid: uuidField('This is not a uuid.'), reason: ReasonSchema })

/**
 * Erases a person: from the directory and from signing in at once, from everything that was received as soon as that is
 * gone through. Cannot be undone. Throws `NotAllowed`, `SignInAgain` and `Refused`.
 */
export async function eraseUser(
  caller: Caller,
  { userUuid, reason }: z.output<typeof EraseUserSchema>,
  source: CallSource,
): Promise<{ readonly erasureId: string }> {
  requirePermission(caller, 'manage-people')
  requireFreshSignIn(caller)
  const erasureId = await inTransaction(pool(), async (tx) => {
    const id = await beginErasure(tx, userUuid)
    // The mark is named, not the person: the audit is kept.
    const entry = { actor: caller, action: 'user.erase', target: id, outcome: 'begun', reason } as const
    await recordAudit(tx, entry, source)
    await tellAdmins(tx, { kind: 'person-erased', actor: caller, about: id, reason })
    return id
  })
  launchErasure(erasureId)
  return { erasureId }
}

/** Runs an erasure in this process, beside everything else; whoever watches goes on with one that was interrupted. */
export function launchErasure(erasureId: string): void {
  void runErasure(pool(), erasureId).catch((error: unknown) =>
    log.error({ erasure: erasureId, err: error }, 'An erasure was interrupted; it goes on within a minute'),
  )
}
