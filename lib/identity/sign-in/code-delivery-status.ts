import 'server-only'
import { z } from 'zod'
import type { ActionContext } from '#lib/access/request-context.ts'
import { prisma } from '#lib/platform/db/prisma.ts'
import { EmailAddressSchema } from '#lib/platform/forms/email-address.ts'
import { consumeLimit } from '#lib/platform/limits/limits.ts'
import type { CodeDeliveryProblem } from '../rules/sign-in-refusal.ts'
import { findCodeRequest } from './code-request.ts'
import { findRecipient } from './find-recipient.ts'
import { isKnownBrowser } from './known-browser.ts'
import { findLateRefusal } from './late-refusals.ts'
import { isSignUpBrowser } from './sign-up-record.ts'

export const CodeDeliveryStatusSchema = z.object({ email: EmailAddressSchema })

/**
 * Whether the code that this browser asked for failed to be delivered: the service sent no codes at all, or
 * the mail bounced (§6.6). A bounce is only shown to browsers in which this person has signed in or signed up before;
 * the other is the same for known and unknown addresses.
 */
export async function codeDeliveryStatus(
  { email }: z.output<typeof CodeDeliveryStatusSchema>,
  { browserId, ip }: ActionContext,
): Promise<CodeDeliveryProblem | null> {
  if ((await consumeLimit('bounce-per-ip', ip)) > 0) return null
  const late = findLateRefusal(browserId, email)
  if (late) return late
  const { userUuid, addressIds } = await findRecipient(email, browserId)
  const isTheirs = (await isKnownBrowser(userUuid, browserId)) || (await isSignUpBrowser(userUuid, browserId))
  if (!isTheirs) return null
  const requestedAt = await findCodeRequest(addressIds, browserId)
  const bounced = requestedAt !== null && (await hasBouncedSince(userUuid, requestedAt))
  return bounced ? 'bounced' : null
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
