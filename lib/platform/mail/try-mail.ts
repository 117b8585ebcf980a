import 'server-only'
import type pg from 'pg'
import { type SendingResult, sendingResultOf, waitAtMost } from '../db/claimed-queue.ts'
import { limitedLog, noting } from '../log/limited.ts'
import { logOf } from '../log.ts'
import type { MailState, TryOutcome } from '../rules/mail-states.ts'
import { handOver } from './hand-over.ts'
import { type ClaimedMail, mailQueue, type Written } from './mail-queue.ts'

const log = logOf('mail')
/** The log says at most every ten minutes that a mail server does not answer. */
const limited = limitedLog(log, 600_000)

/**
 * A writer writes a mail from the present state of the things that it is about; null when nothing is left to report, or no
 * recipient.
 */
export type Writer = (mail: ClaimedMail) => Promise<Written | null>

/** `tryMail` tries a claimed mail and stores the outcome, outside of any transaction. */
export async function tryMail(
  pool: pg.Pool,
  mail: ClaimedMail,
  write: Writer,
  signal?: AbortSignal,
): Promise<SendingResult> {
  const tried = await mailQueue.attempt(pool, mail, () => carry(pool, mail, write, signal))
  if (tried === null) {
    log.info({ mail: mail.id }, 'A mail was taken back: nothing is left to tell, or nobody to be told')
    return { state: 'failed', answer: 'Nothing is left that it could tell.' }
  }
  say(mail, tried.outcome, tried.after.state)
  return sendingResultOf(tried)
}

/** `tryNow` tries a mail for a caller who waits. After `patience` milliseconds it returns that the mail is in progress. */
export function tryNow(pool: pg.Pool, mail: ClaimedMail, patience = 10_000): Promise<SendingResult> {
  const trying = tryMail(pool, mail, async () => null)
  trying.catch(
    noting(log)('error', 'What came of a mail was not kept; it counts as one that may have arrived'),
  )
  return waitAtMost(trying, patience, slow)
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
      { beforeText: () => mailQueue.markHandedOver(pool, mail), ...(signal ? { signal } : {}) },
    )
  } catch (error) {
    log.warn({ mail: mail.id, err: error }, 'A mail could not be written')
    return { kind: 'later', answer: 'It could not be written; the log says why.' }
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
