import 'server-only'
import { recordAuditAlone } from '#lib/audit/record-audit.ts'
import { openSession } from '#lib/auth/open-session.ts'
import type { RequestContext } from '#lib/auth/request-context.ts'
import { digestToken } from '#lib/auth/token.ts'
import { prisma } from '#lib/db/prisma.ts'
import type { SignInRefusal } from '#lib/domain/sign-in-refusal.ts'
import { ServiceError } from '#lib/service/errors.ts'
import type { ServiceSession } from '#lib/service/sign-in.ts'
import { getUser } from '#lib/service/users.ts'
import { service } from '#lib/service-connection.ts'
import { findMembership } from '#lib/team/find-membership.ts'
import { joinDirectory } from '#lib/users/join-directory.ts'

export type SignInOutcome =
  | { readonly kind: 'signed-in'; readonly token: string }
  | { readonly kind: 'refused'; readonly why: SignInRefusal }

/** After the service said yes: directory, session, this browser known, audit. */
export async function completeSignIn(
  answer: ServiceSession,
  method: 'wallet' | 'code',
  context: RequestContext,
): Promise<SignInOutcome> {
  const { serviceSessionId } = answer
  const userUuid = answer.userUuid.toLowerCase()
  await updateDirectory(serviceSessionId, userUuid)
  const token = await openSession({ userUuid, method, serviceSessionId }, context, new Date())
  if (context.browserId !== null) await rememberBrowser(userUuid, context.browserId)
  const { role } = await findMembership(userUuid)
  await recordAuditAlone(
    { actor: { userUuid, role }, action: 'session.start', outcome: 'done', details: { method } },
    context,
  )
  return { kind: 'signed-in', token }
}

/** A profile that cannot be read now does not keep anybody out: a bare entry will do until it can. */
async function updateDirectory(serviceSessionId: string, userUuid: string) {
  const nothing = { email: null, targetAddress: null, firstName: null, lastName: null, country: null }
  const user = await getUser(service(), { serviceSessionId }).catch((error: unknown) => {
    if (error instanceof ServiceError) return null
    throw error
  })
  const isTheirs = user?.userUuid.toLowerCase() === userUuid
  await joinDirectory(
    user && isTheirs ? { ...user, userUuid } : { userUuid, ...nothing, status: null },
    'sign-in',
  )
}

async function rememberBrowser(userUuid: string, browserId: string) {
  const key = { userUuid, browserDigest: digestToken(browserId) }
  await prisma().knownBrowser.upsert({
    where: { userUuid_browserDigest: key },
    create: key,
    update: { seenAt: new Date() },
  })
}
