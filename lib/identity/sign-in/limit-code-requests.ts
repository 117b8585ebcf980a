import 'server-only'
import type { ActionContext } from '#lib/access/request-context.ts'
import { consumeLimit, resetLimit } from '#lib/platform/limits/limits.ts'
import { refuseBeyondLimit } from '#lib/platform/limits/refuse-beyond-limit.ts'
import { refuseWithWait } from '#lib/platform/limits/refuse-with-wait.ts'
import { Refused } from '#lib/platform/refusals.ts'
import { signInMessages } from '../labels/sign-in-messages.ts'
import type { Asker } from './asker.ts'
import { codeBudgets, pauseKey } from './code-budgets.ts'
import { minimumDurationMs, waitToAnswer } from './even-time.ts'
import type { Recipient } from './find-recipient.ts'
import { raiseStrangerAlarm } from './raise-stranger-alarm.ts'

/**
 * Counts a request for a code. Browsers that this person has signed in with before have a budget of their own, and so has
 * each in which somebody signed up with the address: whatever strangers ask for, it does not use theirs up. Asking again at
 * once (another tab, a reload) is allowed to keep the code just sent.
 * @returns seconds until another code can be sent, 0 for now. Throws `Refused`.
 */
export async function limitCodeRequests(
  recipient: Recipient,
  asker: Asker,
  context: ActionContext,
): Promise<number> {
  if (asker === 'stranger') await refuseBeyondLimit('code-per-ip', context.ip, title)
  const ownKey = pauseKey(recipient.email, context.browserId)
  const wait = await consumeLimit('code-pause', ownKey)
  if (wait > 0) return wait
  for (const [limit, key] of codeBudgets(recipient, asker, context.browserId)) {
    const seconds = await consumeLimit(limit, key)
    if (seconds === 0) continue
    await resetLimit('code-pause', ownKey)
    if (asker !== 'stranger' || !limit.endsWith('-daily')) throw refuseWithWait(seconds, title)
    // Only a person whom we know is told, and that must not show in the time it takes.
    await Promise.all([raiseStrangerAlarm(recipient, context), waitToAnswer(minimumDurationMs)])
    throw new Refused(signInMessages['strangers-stopped'])
  }
  return 0
}

const title = 'Too many codes were asked for.'
