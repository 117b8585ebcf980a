import 'server-only'
import { setTimeout as sleep } from 'node:timers/promises'
import type pg from 'pg'
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
/** Says in one line, every ten minutes at most, that a mail server is away. */
const limited = limitedLog(log, 600_000)

/** Writes a mail of what it tells, as that is now; null when nothing is left to tell, or nobody to be told. */
export type Writer = (mail: ClaimedMail) => Promise<Written | null>

/** How far a mail is after a try. `unknown` also of one that will be repeated. */
export interface TriedMail {
  readonly state: MailState
  readonly answer: string
}

/** Tries a claimed mail and keeps what came of it, outside any transaction. */
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

/** The same for somebody who waits for it, who hears after `patience` milliseconds that it is under way. */
export async function tryNow(pool: pg.Pool, mail: ClaimedMail, patience = 10_000): Promise<TriedMail> {
  const trying = tryMail(pool, mail, async () => null)
  trying.catch(
    noting(log)('error', 'What came of a mail was not kept; it counts as one that may have arrived'),
  )
  const late = Promise.withResolvers<TriedMail>()
  const timer = setTimeout(late.resolve, patience, { state: 'waiting', answer: slow })
  try {
    return await Promise.race([trying, late.promise])
  } finally {
    clearTimeout(timer)
  }
}

const slow = 'The mail server has not answered yet.'

/** Null when there is nothing to send, or nobody to send it to. */
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

/** A database that is away for a while must not make a second mail of one that was sent. */
async function record(pool: pg.Pool, mail: ClaimedMail, outcome: TryOutcome, left = 20) {
  try {
    return await recordTry(pool, mail, outcome)
  } catch (error) {
    if (left === 0) throw error
    await sleep(2_000, undefined, { ref: false })
    return record(pool, mail, outcome, left - 1)
  }
}

/** A mail server that is away fails every mail alike, and is said once in a while. */
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
