import 'server-only'
import type pg from 'pg'
import { uuidv7 } from 'uuidv7'
import { z } from 'zod'
import {
  type Claimed,
  ClaimedQueue,
  type ClaimedRow,
  claimedColumns,
  claimedOf,
  claimMs,
  type SendingResult,
  sendingResultOf,
  startSender,
  waitAtMost,
} from '../db/claimed-queue.ts'
import type { Rounds } from '../db/concurrency.ts'
import type { Transaction } from '../db/in-transaction.ts'
import { env } from '../env.ts'
import { seal, unseal } from '../keys/digests-and-seals.ts'
import { causeOf, limitedLog, noting } from '../log/limited.ts'
import { logOf } from '../log.ts'
import { isMailbox } from '../rules/mail-address.ts'
import { type MailKind, type MailState, patienceOf, type TryOutcome } from '../rules/mail-states.ts'
import { handOver } from './hand-over.ts'

/** One process tries a claimed mail. */
export interface ClaimedMail extends Claimed {
  readonly kind: MailKind
  readonly recipient: string
  /** The mail is about the things with these ids. */
  readonly about: readonly string[]
  /** The text was stored encrypted; null when it is written from the things that the mail is about. */
  readonly written: Written | null
  /** The text was stored encrypted, and no key here opens it. */
  readonly isUnreadable: boolean
  readonly createdAt: Date
}

export interface Written {
  readonly subject: string
  readonly text: string
}

const WrittenSchema = z.object({ subject: z.string(), text: z.string() })

/**
 * `queueMails` queues a mail about these things to each recipient, in the transaction that causes it. A text that is not one
 * address fails at once.
 */
export async function queueMails(
  tx: Transaction,
  kind: MailKind,
  recipients: readonly string[],
  about: readonly string[],
): Promise<void> {
  for (const recipient of recipients)
    await tx.query(isMailbox(recipient) ? INSERT : INSERT_FAILED, [
      uuidv7(),
      kind,
      recipient.slice(0, 254),
      about,
      patienceOf[kind],
    ])
}

const INSERT = `
  INSERT INTO mail (id, kind, recipient, about, give_up_at)
  VALUES ($1, $2, $3, $4, now() + $5 * interval '1 ms')`

const INSERT_FAILED = `
  INSERT INTO mail (id, kind, recipient, about, give_up_at, state, last_answer, tried_at, ended_at)
  VALUES ($1, $2, $3, $4, now() + $5 * interval '1 ms', 'failed', 'This is not one e-mail address.', now(), now())`

/**
 * `queueClaimed` queues one mail and claims it for a caller, who tries it after the commit. Its text is stored encrypted.
 */
export async function queueClaimed(
  tx: Transaction,
  mail: Pick<ClaimedMail, 'kind' | 'recipient' | 'about'> & { readonly written: Written },
): Promise<ClaimedMail> {
  const id = uuidv7()
  const { bytes, keyId } = seal(JSON.stringify(mail.written), placeOf(id))
  const { kind, recipient, about } = mail
  const { rows } = await tx.query<MailRow>(INSERT_CLAIMED, [
    id,
    kind,
    recipient,
    about,
    patienceOf[kind],
    bytes,
    keyId,
    claimMs,
  ])
  const [claimed] = rows.map(toClaimed)
  if (!claimed) throw new Error('A mail was not queued')
  return claimed
}

const placeOf = (id: string) => `mail:${id}`

const columns = `${claimedColumns}, kind, recipient, about, sealed, key_id, created_at`

const INSERT_CLAIMED = `
  INSERT INTO mail (id, kind, recipient, about, give_up_at, sealed, key_id, tries, tried_at, claimed_until)
  VALUES ($1, $2, $3, $4, now() + $5 * interval '1 ms', $6, $7, 1, clock_timestamp(),
          clock_timestamp() + $8 * interval '1 ms')
  RETURNING ${columns}`

interface MailRow extends ClaimedRow {
  readonly kind: MailKind
  readonly recipient: string
  readonly about: readonly string[]
  readonly sealed: Uint8Array<ArrayBuffer> | null
  readonly key_id: string | null
  readonly created_at: Date
}

function toClaimed(row: MailRow): ClaimedMail {
  const { kind, recipient, about, created_at: createdAt } = row
  const written = openSealed(row)
  const isUnreadable = row.sealed !== null && written === null
  return { ...claimedOf(row), kind, recipient, about, written, isUnreadable, createdAt }
}

function openSealed({ id, sealed, key_id: keyId }: MailRow): Written | null {
  if (sealed === null || keyId === null) return null
  const text = unseal({ bytes: new Uint8Array(sealed), keyId }, placeOf(id))
  return text === null ? null : WrittenSchema.parse(JSON.parse(text))
}

/** The text of a mail is forgotten when it ends. */
export const mailQueue = new ClaimedQueue<MailRow>({
  table: 'mail',
  columns,
  forget: ['sealed', 'key_id'],
  left: 'The Rampart that handed it over ended before the mail server answered.',
})

/** `claimDue` claims at most `most` mails that are due. Only one process gets each. */
export async function claimDue(pool: pg.Pool, most: number): Promise<ClaimedMail[]> {
  return (await mailQueue.claimDue(pool, most)).map(toClaimed)
}

/**
 * `withdrawMails` deletes waiting invitations. One in progress may still arrive. @param about ids of the things that they
 * are about
 */
export async function withdrawMails(tx: Transaction, about: readonly string[]): Promise<void> {
  await tx.query(`DELETE FROM mail WHERE kind = 'invitation' AND about && $1::uuid[] AND state = 'waiting'`, [
    about,
  ])
}

const log = logOf('mail')
/** The log says at most every ten minutes that a mail server does not answer. */
const limited = limitedLog(log, 600_000)

/**
 * A writer writes a mail from the present state of the things that it is about; null when nothing is left to report, or no
 * recipient. The mail goes to the address `to`, the present one of whoever it is for, or else to its recipient.
 */
export type Writer = (mail: ClaimedMail) => Promise<(Written & { readonly to?: string }) | null>

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
  // Another process may have the key.
  if (mail.isUnreadable) return { kind: 'later', answer: 'Its text does not open with the keys here.' }
  try {
    const written: Awaited<ReturnType<Writer>> = mail.written ?? (await write(mail))
    if (!written) return null
    const { id, tries, unsure, recipient, createdAt } = mail
    const { to = recipient, subject, text } = written
    if (to !== recipient) await pool.query(READDRESS, [id, tries, to.slice(0, 254)])
    // A copy of a mail that may have arrived does not seem to be a new one.
    const writtenAt = mail.written === null && unsure === 0 ? mail.now() : createdAt
    return await handOver(
      { id, to, subject, text, writtenAt },
      { beforeText: () => mailQueue.markHandedOver(pool, mail), ...(signal ? { signal } : {}) },
    )
  } catch (error) {
    log.warn({ mail: mail.id, err: error }, 'A mail could not be written')
    return { kind: 'later', answer: 'It could not be written; the log says why.' }
  }
}

const READDRESS = 'UPDATE mail SET recipient = $3 WHERE id = $1 AND tries = $2'

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

const mailerLog = limitedLog(logOf('mail'))

/**
 * `startMailer` sends waiting mails every `every` milliseconds and whenever it is requested. `queue` runs first in each
 * round.
 */
export function startMailer(
  pool: pg.Pool,
  write: Writer,
  queue: () => Promise<unknown>,
  every = 15_000,
): Rounds {
  return startSender({
    prepare: async () => {
      await queue()
      await mailQueue.settleLeft(pool)
    },
    claim: async (most) => (env().mail === null ? [] : claimDue(pool, most)),
    attempt: (mail, stopped) => tryMail(pool, mail, write, stopped),
    complain,
    every,
  })
}

const complain = (error: unknown) =>
  mailerLog.warn(causeOf(error), { err: error }, 'Mails were not seen to; they are in the next round')
