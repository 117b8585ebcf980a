import 'server-only'
import { setTimeout as pause } from 'node:timers/promises'
import { z } from 'zod'
import { type ActionContext, type Caller, type CallSource, requireServiceUser } from '#lib/access/caller.ts'
import { tellAdmins } from '#lib/audit/notices/notices.ts'
import { recordAudit } from '#lib/audit/record-audit.ts'
import { inTransaction } from '#lib/platform/db/in-transaction.ts'
import { pool } from '#lib/platform/db/pool.ts'
import {
  consumeLimit,
  giveBackLimit,
  type Limit,
  readWait,
  refuseBeyondLimit,
  resetLimit,
} from '#lib/platform/limits/limits.ts'
import { Refused, waitTime } from '#lib/platform/refusals.ts'
import { emailKey, exactEmail } from '../users/person-texts.ts'
import type { Recipient } from './code-request.ts'
import { hasSignedUpHere, isKnownBrowser, signUpKey } from './sign-up-record.ts'

/**
 * The browser spends one of three budgets: the person has signed in with it before, somebody signed up in it
 * with the address this week, or neither.
 */
export type Asker = 'known' | 'signed-up' | 'stranger'

export async function findAsker(userUuid: string, email: string, browserId: string): Promise<Asker> {
  if (await isKnownBrowser(userUuid, browserId)) return 'known'
  return (await hasSignedUpHere(email, browserId)) ? 'signed-up' : 'stranger'
}

/** A budget is a limit with the key that is counted. */
export type Budget = readonly [Exclude<Limit, `${string}-per-ip`>, string]

/**
 * A request for a code spends these budgets. Strangers are counted by the address alone, in its spelling and in any case.
 */
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

/** A stranger's guess spends these budgets. */
export const strangersGuesses = (email: string): readonly Budget[] => [
  ['guess-strangers-daily', exactEmail(email)],
  ['guess-strangers-any-case-daily', emailKey(email)],
]

/** The pause between two codes is counted by this key, so that one browser never makes another one wait. */
export const pauseKey = (email: string, browserId: string) => `${exactEmail(email)} ${browserId}`

/**
 * A request for a code is counted. Known browsers and browsers of a sign-up have their own budgets, which
 * strangers cannot use up. Asking again at once (another tab, a reload) keeps the code just sent. The result is
 * the seconds until another code can be sent, 0 for now. Throws `Refused`.
 */
export async function limitCodeRequests(
  recipient: Recipient,
  asker: Asker,
  context: ActionContext,
): Promise<number> {
  if (asker === 'stranger') await refuseBeyondLimit('code-per-ip', context.ip, 'too-many-codes')
  const ownKey = pauseKey(recipient.email, context.browserId)
  const wait = await consumeLimit('code-pause', ownKey)
  if (wait > 0) return wait
  for (const [limit, key] of codeBudgets(recipient, asker, context.browserId)) {
    const seconds = await consumeLimit(limit, key)
    if (seconds === 0) continue
    await resetLimit('code-pause', ownKey)
    if (asker !== 'stranger' || !limit.endsWith('-daily'))
      throw new Refused('too-many-codes', { wait: waitTime(seconds) })
    // Only a known person is notified, and the time of the answer must not show that.
    await Promise.all([raiseStrangerAlarm(recipient, context), waitToAnswer(minimumDurationMs)])
    throw new Refused('strangers-stopped')
  }
  return 0
}

/** The request ended in an outage of the service, which is not the person's doing. */
export const uncountCodeRequest = (recipient: Recipient, asker: Asker, browserId: string): Promise<void> =>
  giveBack(codeBudgets(recipient, asker, browserId))

/** One more may be spent of each budget. */
export async function giveBack(budgets: readonly Budget[]): Promise<void> {
  for (const [limit, key] of budgets) await giveBackLimit(limit, key)
}

/** Requests for codes of a person must wait until these times, ISO 8601; null for no wait. */
export interface CodeWaits {
  /** Browsers in which the person has signed in before wait until then to ask for a code. */
  readonly knownBrowsers: string | null
  /** All other browsers together wait until then to ask for a code. */
  readonly strangers: string | null
  /** All other browsers together wait until then to type a code. */
  readonly strangersTyping: string | null
}

/** `limitCodeRequests` and the limit of guesses give these waits now. `now` is in ms since 1970. */
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

/** The answer takes at least this many milliseconds, because its timing must not reveal what was found. */
export const minimumDurationMs = 1_000

/** An answer is given after one of these times in milliseconds: the first that has passed when the answer is ready. */
export const answerSteps = [minimumDurationMs, 3_000, 10_000]

let isTimeReal = true

/** The wait before a ready answer hides how soon it was ready. */
export async function waitToAnswer(ms: number): Promise<void> {
  if (isTimeReal) await pause(ms)
}

/** An answer waits no longer than this for a slow service, because the time would reveal whether a code was sent. */
export const untilLate = (): Promise<'late'> =>
  isTimeReal ? pause(minimumDurationMs, 'late' as const) : new Promise(() => undefined)

/** Only tests call this: most of them are about the answer, which then comes at once and never late. */
export function setAnswerWait(real: boolean): void {
  isTimeReal = real
}

/**
 * The result settles like `work`, but only after one, three or ten seconds. This also hides that a slow service
 * is slower for one address than for another. `mayAnswerAtOnce` names the answers whose timing reveals nothing.
 */
export async function inEvenTime<T>(
  work: Promise<T>,
  mayAnswerAtOnce: (answer: T) => boolean = never,
): Promise<T> {
  const began = performance.now()
  try {
    const answer = await work
    if (!mayAnswerAtOnce(answer)) await untilNextStep(began)
    return answer
  } catch (error) {
    await untilNextStep(began)
    throw error
  }
}

async function untilNextStep(began: number): Promise<void> {
  const took = performance.now() - began
  const step = answerSteps.find((ms) => ms >= took)
  if (step !== undefined) await waitToAnswer(step - took)
}

const never = () => false

/**
 * Strangers last used up their daily attempts for this person at this time (ISO 8601); null when there is
 * nothing to show, or the person has marked it as seen.
 */
export async function findStrangerAlarm({ userUuid }: Caller): Promise<string | null> {
  const { rows } = await pool().query<{ at: Date | null }>(FIND, [userUuid])
  return rows[0]?.at?.toISOString() ?? null
}

export const MarkStrangerAlarmsSeenSchema = z.object({})

/** The person has seen the alarm. */
export async function markStrangerAlarmsSeen(
  caller: Caller,
  _form: z.output<typeof MarkStrangerAlarmsSeenSchema>,
  source: CallSource,
): Promise<{ readonly marked: number }> {
  const userUuid = requireServiceUser(caller)
  return inTransaction(pool(), async (tx) => {
    const { rowCount } = await tx.query(MARK, [userUuid])
    const marked = rowCount ?? 0
    const entry = { actor: caller, action: 'code.alarm-seen', target: userUuid } as const
    if (marked > 0) await recordAudit(tx, { ...entry, outcome: 'done', details: { marked } }, source)
    return { marked }
  })
}

const FIND = 'SELECT max(at) AS at FROM stranger_alarm WHERE user_uuid = $1 AND seen_at IS NULL'

const MARK = 'UPDATE stranger_alarm SET seen_at = now() WHERE user_uuid = $1 AND seen_at IS NULL'

/**
 * Strangers used up their daily attempts for one person: once a day, the person is notified on their own pages,
 * and so are all admins. An unknown address has nobody to notify.
 */
export async function raiseStrangerAlarm(
  { userUuid, isKnown }: Pick<Recipient, 'userUuid' | 'isKnown'>,
  source: CallSource,
): Promise<void> {
  if (!isKnown) return
  await inTransaction(pool(), async (tx) => {
    const { rowCount } = await tx.query(RAISE, [userUuid])
    if (rowCount === 0) return
    const entry = {
      actor: null,
      action: 'code.strangers-stopped',
      target: userUuid,
      outcome: 'done',
    } as const
    await recordAudit(tx, entry, source)
    await tellAdmins(tx, {
      kind: 'strangers-stopped',
      actor: null,
      about: userUuid,
      facts: { user: userUuid },
    })
  })
}

const RAISE = `
  INSERT INTO stranger_alarm (user_uuid, day) VALUES ($1, (now() AT TIME ZONE 'UTC')::date)
  ON CONFLICT (user_uuid, day) DO NOTHING`
