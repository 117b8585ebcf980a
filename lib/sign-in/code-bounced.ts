import 'server-only'
import { z } from 'zod'
import type { ActionContext } from '#lib/auth/request-context.ts'
import { digestToken } from '#lib/auth/token.ts'
import { prisma } from '#lib/db/prisma.ts'
import { findPersonByEmail } from '#lib/users/find-person-by-email.ts'
import { EmailAddress } from './email-address.ts'
import { count } from './limits.ts'

export const CodeBouncedForm = z.object({ email: EmailAddress })

/**
 * Whether the mail with the latest code is known to have bounced (§6.6). Only a browser in which this person has
 * signed in before learns it; to any other the answer is always `false`.
 */
export async function codeBounced(
  { email }: z.output<typeof CodeBouncedForm>,
  { browserId, ip }: ActionContext,
): Promise<{ readonly bounced: boolean }> {
  if ((await count('bounce-per-ip', ip)) > 0) return { bounced: false }
  const person = await findPersonByEmail(email)
  if (!person || !(await isKnownBrowser(person.userUuid, browserId))) return { bounced: false }
  const requestedAt = await findLatestRequest(person.userUuid)
  return { bounced: requestedAt !== null && (await hasBouncedSince(person.userUuid, requestedAt)) }
}

async function isKnownBrowser(userUuid: string, browserId: string): Promise<boolean> {
  const userUuid_browserDigest = { userUuid, browserDigest: digestToken(browserId) }
  return (await prisma().knownBrowser.findUnique({ where: { userUuid_browserDigest } })) !== null
}

/** When the latest code was asked for, if within the last half hour. */
async function findLatestRequest(userUuid: string): Promise<Date | null> {
  const request = await prisma().audit.findFirst({
    where: {
      action: 'code.request',
      target: userUuid,
      outcome: 'done',
      at: { gt: new Date(Date.now() - 30 * 60_000) },
    },
    orderBy: { at: 'desc' },
    select: { at: true },
  })
  return request?.at ?? null
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
