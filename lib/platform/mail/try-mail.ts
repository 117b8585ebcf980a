import 'server-only'
import { setTimeout as sleep } from 'node:timers/promises'
import type pg from 'pg'
import { inTime } from '../in-time.ts'
import { limitedLog, noting } from '../log/limited.ts'
import { logOf } from '../log.ts'
import type { MailState, TryOutcome } from '../rules/mail-states.ts'
import { handOver } from './hand-over.ts'
import {
  type ClaimedMail,
  claimMs,
  dropMail,
  markHandedOver,
  recordTry,
  renewClaim,
  type Written,
} from './mail-queue.ts'

const log = logOf('mail')
/** The log says at most every ten minutes that a mail server does not answer. */
const limited = limitedLog(log, 600_000)

/**
 * A writer writes a mail from the present state of the things that it is about; null when nothing is left to report, or no
 * recipient.
 */
export type Writer = (mail: ClaimedMail) => Promise<Written | null>

/** The state is that of a mail after a try. It is `unknown` also for one that will be repeated. */
export interface TriedMail {
  readonly state: MailState
  readonly answer: string
}

/** `tryMail` tries a claimed mail and stores the outcome, outside of any transaction. */
export async function tryMail(
  pool: pg.Pool,
  mail: ClaimedMail,
  write: Writer,
  signal?: AbortSignal,
): Promise<TriedMail> {
  const renew = () => renewClaim(pool, mail).catch(noting(log)('warn', 'A mail under way may be taken over'))
  const renewal = setInterval(() => void renew(), claimMs / 4)
  try {
    const outcome = await carry(pool, mail, write, signal)
    if (outcome === null) {
      await dropMail(pool, mail)
      log.info({ mail: mail.id }, 'A mail was taken back: nothing is left to tell, or nobody to be told')
      return { state: 'failed', answer: 'Nothing is left that it could tell.' }
    }
    const { state, unsure } = await record(pool, mail, outcome)
    say(mail, outcome, state)
    return { state: state === 'waiting' && unsure > 0 ? 'unknown' : state, answer: outcome.answer }
  } finally {
    clearInterval(renewal)
  }
}

/** `tryNow` tries a mail for a caller who waits. After `patience` milliseconds it returns that the mail is in progress. */
export async function tryNow(pool: pg.Pool, mail: ClaimedMail, patience = 10_000): Promise<TriedMail> {
  const trying = tryMail(pool, mail, async () => null)
  trying.catch(
    noting(log)('error', 'What came of a mail was not kept; it counts as one that may have arrived'),
  )
  return inTime<TriedMail, TriedMail>(trying, patience, { state: 'waiting', answer: slow })
}

const slow = 'The mail server has not answered yet.'

/** The outcome is null when there is nothing to send, or no recipient. */
async function carry(
  pool: pg.Pool,
  mail: ClaimedMail,
  write: Writer,
  signal: AbortSignal | undefined,
): Promise<TryOutcome | null> {
  try {
    const written = mail.written ?? (await write(mail))
    if (!written) return null
    const { id, recipient, createdAt } = mail
    return await handOver(
      { id, to: recipient, ...written, writtenAt: createdAt },
      { beforeText: () => markHandedOver(pool, mail), ...(signal ? { signal } : {}) },
    )
  } catch (error) {
    log.warn({ mail: mail.id, err: error }, 'A mail could not be written')
    return { kind: 'later', answer: 'It could not be written; the log says why.' }
  }
}

/** An unreachable database must not cause a second copy of a mail that was sent. */
async function record(pool: pg.Pool, mail: ClaimedMail, outcome: TryOutcome, left = 20) {
  try {
    return await recordTry(pool, mail, outcome)
  } catch (error) {
    if (left === 0) throw error
    await sleep(2_000, undefined, { ref: false })
    return record(pool, mail, outcome, left - 1)
  }
}

/** An unreachable mail server fails every mail alike, so it is logged once per interval. */
function say({ id }: ClaimedMail, { kind, answer }: TryOutcome, state: MailState) {
  if (state === 'failed' || state === 'unknown')
    log.warn({ mail: id, state, answer }, 'A mail is not tried any more')
  else if (kind !== 'taken')
    limited.warn(
      `${kind} ${/\b[45]\d\d\b/.exec(answer)?.[0] ?? ''}`,
      { mail: id, answer },
      'The mail server did not take a mail; it is tried again',
    )
}
