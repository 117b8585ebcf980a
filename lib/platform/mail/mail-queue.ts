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
} from '../db/claimed-queue.ts'
import type { Transaction } from '../db/in-transaction.ts'
import { seal, unseal } from '../keys/digests-and-seals.ts'
import { isMailbox } from '../rules/mail-address.ts'
import { type MailKind, patienceOf } from '../rules/mail-states.ts'

/** One process tries a claimed mail. */
export interface ClaimedMail extends Claimed {
  readonly kind: MailKind
  readonly recipient: string
  /** The mail is about the things with these ids. */
  readonly about: readonly string[]
  /** The text was stored encrypted; null when it is written from the things that the mail is about. */
  readonly written: Written | null
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
  return { ...claimedOf(row), kind, recipient, about, written: openSealed(row), createdAt }
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
