import 'server-only'
import { z } from 'zod'
import { digestToken } from '#lib/auth/token.ts'
import { prisma } from '#lib/db/prisma.ts'
import type { CodeDeliveryProblem } from '#lib/domain/sign-in/sign-in-refusal.ts'
import type { ActionContext } from '#lib/request/request-context.ts'
import { findUserByEmail } from '#lib/users/find-user-by-email.ts'
import { EmailAddressSchema } from './email-address.ts'
import { findLateRefusal } from './late-refusals.ts'
import { consumeLimit } from '#lib/limits/limits.ts'

export const CodeDeliveryStatusSchema = z.object({ email: EmailAddressSchema })

/**
 * Whether the code that this browser asked for failed to be delivered: the service sent no codes at all, or
 * the mail bounced (§6.6). A bounce is only shown to browsers in which this person has signed in before; the
 * other is the same for known and unknown addresses.
 */
export async function codeDeliveryStatus(
  { email }: z.output<typeof CodeDeliveryStatusSchema>,
  { browserId, ip }: ActionContext,
): Promise<CodeDeliveryProblem | null> {
  if ((await consumeLimit('bounce-per-ip', ip)) > 0) return null
  const late = findLateRefusal(browserId, email)
  if (late) return late
  const person = await findUserByEmail(email)
  if (!person || !(await isKnownBrowser(person.userUuid, browserId))) return null
  const requestedAt = await findLatestRequest(person.userUuid)
  const bounced = requestedAt !== null && (await hasBouncedSince(person.userUuid, requestedAt))
  return bounced ? 'bounced' : null
}

async function isKnownBrowser(userUuid: string, browserId: string): Promise<boolean> {
  const userUuid_browserDigest = { userUuid, browserDigest: digestToken(browserId) }
  return (await prisma().knownBrowser.findUnique({ where: { userUuid_browserDigest } })) !== null
}

/** When the latest code was sent, if within the last half hour. */
async function findLatestRequest(userUuid: string): Promise<Date | null> {
  const request = await prisma().codeRequest.findUnique({
    where: { userUuid, sentAt: { gt: new Date(Date.now() - 30 * 60_000) } },
  })
  return request?.sentAt ?? null
}

async function hasBouncedSince(userUuid: string, since: Date): Promise<boolean> {
  const bounce = await prisma().event.findFirst({
    where: {
      entityUuid: userUuid,
      type: 'otpNotification',
      subType: 'EMAIL_DELIVERY_FAILED',
      lastReceivedAt: { gt: since },
    },
    select: { id: true },
  })
  return bounce !== null
}
