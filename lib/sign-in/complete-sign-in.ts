import 'server-only'
import { recordAudit } from '#lib/audit/record-audit.ts'
import { openSession } from '#lib/auth/open-session.ts'
import { digestToken } from '#lib/auth/token.ts'
import { inTransaction } from '#lib/db/in-transaction.ts'
import { pool } from '#lib/db/pool.ts'
import type { SignInRefusal } from '#lib/domain/sign-in/sign-in-refusal.ts'
import type { RequestContext } from '#lib/request/request-context.ts'
import { ServiceError } from '#lib/service/errors.ts'
import type { ServiceSession } from '#lib/service/sign-in.ts'
import { getUser } from '#lib/service/users.ts'
import { serviceClient } from '#lib/service-client.ts'
import { findMembership } from '#lib/team/find-membership.ts'
import { type KnownUser, saveToDirectory } from '#lib/users/save-to-directory.ts'

export type SignInOutcome =
  | { readonly kind: 'signed-in'; readonly token: string }
  | { readonly kind: 'refused'; readonly why: SignInRefusal }

/**
 * Runs after the service accepted the sign-in. In one transaction it updates the directory, opens the session,
 * remembers the browser and writes the audit.
 */
export async function completeSignIn(
  answer: ServiceSession,
  method: 'wallet' | 'code',
  context: RequestContext,
): Promise<SignInOutcome> {
  const { serviceSessionId } = answer
  const userUuid = answer.userUuid.toLowerCase()
  const user = await readUser(serviceSessionId, userUuid)
  const { role } = await findMembership(userUuid)
  const token = await inTransaction(pool(), async (tx) => {
    await saveToDirectory(tx, user, 'sign-in')
    const opened = await openSession(tx, { userUuid, method, serviceSessionId, role }, context, new Date())
    if (context.browserId !== null) await tx.query(REMEMBER, [userUuid, digestToken(context.browserId)])
    const actor = { userUuid, role }
    const entry = { actor, action: 'session.start', outcome: 'done', details: { method } } as const
    await recordAudit(tx, entry, context)
    return opened
  })
  return { kind: 'signed-in', token }
}

/** If the profile cannot be read now, sign-in continues with a minimal directory entry. */
async function readUser(serviceSessionId: string, userUuid: string): Promise<KnownUser> {
  const nothing = { email: null, targetAddress: null, firstName: null, lastName: null, country: null }
  const user = await getUser(serviceClient(), { serviceSessionId }).catch((error: unknown) => {
    if (error instanceof ServiceError) return null
    throw error
  })
  const isTheirs = user?.userUuid.toLowerCase() === userUuid
  return user && isTheirs ? { ...user, userUuid } : { userUuid, ...nothing, status: null }
}

const REMEMBER = `
  INSERT INTO known_browser (user_uuid, browser_digest) VALUES ($1, $2)
  ON CONFLICT (user_uuid, browser_digest) DO UPDATE SET seen_at = now()`
