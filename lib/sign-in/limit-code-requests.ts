import 'server-only'
import { setTimeout as pause } from 'node:timers/promises'
import { signInMessages } from '#lib/labels/sign-in-messages.ts'
import { consumeLimit, resetLimit } from '#lib/limits/limits.ts'
import { refuseBeyondLimit } from '#lib/limits/refuse-beyond-limit.ts'
import { refuseWithWait } from '#lib/limits/refuse-with-wait.ts'
import { Refused } from '#lib/request/refusals.ts'
import type { ActionContext } from '#lib/request/request-context.ts'
import { minimumDurationMs } from './even-time.ts'
import type { Recipient } from './find-recipient.ts'
import { raiseStrangerAlarm } from './raise-stranger-alarm.ts'

/**
 * Counts a request for a code. Browsers that this person has signed in with before have a budget of their own: whatever
 * strangers ask for, it does not use theirs up. Asking again at once (another tab, a reload) is allowed to keep the code
 * just sent.
 * @returns seconds until another code can be sent, 0 for now. Throws `Refused`.
 */
export async function limitCodeRequests(
  recipient: Recipient,
  isKnown: boolean,
  context: ActionContext,
): Promise<number> {
  if (!isKnown) await refuseBeyondLimit('code-per-ip', context.ip, title)
  const wait = await consumeLimit('code-pause', pauseKey(recipient, context.browserId))
  if (wait > 0) return wait
  const seconds = await consumeLimit(isKnown ? 'code-known-browsers' : 'code-strangers', recipient.userUuid)
  const capped =
    seconds === 0 && !isKnown && (await consumeLimit('code-strangers-daily', recipient.userUuid)) > 0
  if (seconds === 0 && !capped) return 0
  await resetLimit('code-pause', pauseKey(recipient, context.browserId))
  if (!capped) throw refuseWithWait(seconds, title)
  // Only a person whom we know is told, and that must not show in the time it takes.
  await Promise.all([raiseStrangerAlarm(recipient, context), pause(minimumDurationMs)])
  throw new Refused(signInMessages['strangers-stopped'])
}

const title = 'Too many codes were asked for.'

/** By which the pause between two codes is counted: one browser never makes another one wait. */
export const pauseKey = ({ userUuid }: Recipient, browserId: string) => `${userUuid} ${browserId}`
