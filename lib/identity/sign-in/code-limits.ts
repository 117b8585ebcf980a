import 'server-only'
import type { ActionContext } from '#lib/access/caller.ts'
import { pool } from '#lib/platform/db/pool.ts'
import {
  consumeLimit,
  type Limit,
  readWait,
  refuseBeyondLimit,
  refuseWithWait,
  resetLimit,
} from '#lib/platform/limits/limits.ts'
import { Refused } from '#lib/platform/refusals.ts'
import { signInMessages } from '../labels/sign-in-messages.ts'
import { emailKey, exactEmail } from '../users/person-texts.ts'
import { minimumDurationMs, waitToAnswer } from './even-time.ts'
import type { Recipient } from './find-recipient.ts'
import { hasSignedUpHere, isKnownBrowser, signUpKey } from './known-browsers.ts'
import { raiseStrangerAlarm } from './stranger-alarms.ts'

/**
 * Whose budget a browser spends: one in which the person has signed in before, one in which somebody signed up with the
 * address this week, or any other.
 */
type Asker = 'known' | 'signed-up' | 'stranger'

export async function findAsker(userUuid: string, email: string, browserId: string): Promise<Asker> {
  if (await isKnownBrowser(userUuid, browserId)) return 'known'
  return (await hasSignedUpHere(email, browserId)) ? 'signed-up' : 'stranger'
}

/** A limit, and what is counted there. */
type Budget = readonly [Limit, string]

/** What a request for a code spends. What strangers may is counted by the address alone, in its spelling and in any case. */
function codeBudgets(
  { userUuid, email }: Pick<Recipient, 'userUuid' | 'email'>,
  asker: Asker,
  browserId: string,
): readonly Budget[] {
  if (asker === 'known') return [['code-known-browsers', userUuid]]
  if (asker === 'stranger') return strangersCodes(email)
  const key = signUpKey(email, browserId)
  return [
    ['code-sign-up-browser', key],
    ['code-sign-up-browser-daily', key],
  ]
}

const strangersCodes = (email: string): readonly Budget[] => [
  ['code-strangers', exactEmail(email)],
  ['code-strangers-any-case', emailKey(email)],
  ['code-strangers-daily', exactEmail(email)],
  ['code-strangers-any-case-daily', emailKey(email)],
]

/** What a stranger's guess spends. */
export const strangersGuesses = (email: string): readonly Budget[] => [
  ['guess-strangers-daily', exactEmail(email)],
  ['guess-strangers-any-case-daily', emailKey(email)],
]

/** By which the pause between two codes is counted: one browser never makes another one wait. */
export const pauseKey = (email: string, browserId: string) => `${exactEmail(email)} ${browserId}`

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

/** Until when who has to wait with codes for a person; ISO 8601, null for not at all. */
export interface CodeWaits {
  /** Browsers in which the person has signed in before, to ask for a code. */
  readonly knownBrowsers: string | null
  /** All other browsers together, to ask for a code. */
  readonly strangers: string | null
  /** All other browsers together, to type a code. */
  readonly strangersTyping: string | null
}

/** The waits that `limitCodeRequests` and the limit of guesses give now. @param now in ms since 1970 */
export async function readCodeWaits(userUuid: string, now: number): Promise<CodeWaits> {
  const { rows } = await pool().query<{ email: string | null }>(EMAIL, [userUuid])
  const email = rows[0]?.email ?? null
  const until = async (budgets: readonly Budget[]) => {
    const seconds = Math.max(0, ...(await Promise.all(budgets.map(([limit, key]) => readWait(limit, key)))))
    return seconds === 0 ? null : new Date(now + seconds * 1000).toISOString()
  }
  const [knownBrowsers, strangers, strangersTyping] = await Promise.all([
    until([['code-known-browsers', userUuid]]),
    until(email === null ? [] : strangersCodes(email)),
    until(email === null ? [] : strangersGuesses(email)),
  ])
  return { knownBrowsers, strangers, strangersTyping }
}

const EMAIL = 'SELECT email FROM person WHERE user_uuid = $1'
