import 'server-only'
import { setTimeout as pause } from 'node:timers/promises'
import { signInMessages } from '#lib/labels/sign-in-messages.ts'
import { consumeLimit, type Limit, resetLimit } from '#lib/limits/limits.ts'
import { refuseBeyondLimit } from '#lib/limits/refuse-beyond-limit.ts'
import { refuseWithWait } from '#lib/limits/refuse-with-wait.ts'
import { Refused } from '#lib/request/refusals.ts'
import type { ActionContext } from '#lib/request/request-context.ts'
import type { Asker } from './asker.ts'
import { minimumDurationMs } from './even-time.ts'
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
  const ownKey = pauseKey(recipient, context.browserId)
  const wait = await consumeLimit('code-pause', ownKey)
  if (wait > 0) return wait
  const [limit, daily] = budgets[asker]
  const key = asker === 'signed-up' ? ownKey : recipient.userUuid
  const seconds = await consumeLimit(limit, key)
  const dayOver = seconds === 0 && daily ? await consumeLimit(daily, key) : 0
  if (seconds === 0 && dayOver === 0) return 0
  await resetLimit('code-pause', ownKey)
  if (seconds > 0 || asker !== 'stranger') throw refuseWithWait(seconds || dayOver, title)
  // Only a person whom we know is told, and that must not show in the time it takes.
  await Promise.all([raiseStrangerAlarm(recipient, context), pause(minimumDurationMs)])
  throw new Refused(signInMessages['strangers-stopped'])
}

const budgets: Readonly<Record<Asker, readonly [Limit, Limit?]>> = {
  known: ['code-known-browsers'],
  'signed-up': ['code-sign-up-browser', 'code-sign-up-browser-daily'],
  stranger: ['code-strangers', 'code-strangers-daily'],
}

const title = 'Too many codes were asked for.'

/** By which the pause between two codes is counted: one browser never makes another one wait. */
export const pauseKey = ({ userUuid }: Recipient, browserId: string) => `${userUuid} ${browserId}`
