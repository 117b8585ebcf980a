import 'server-only'
import type pg from 'pg'
import { uuidv7 } from 'uuidv7'
import { z } from 'zod'
import type { Transaction } from '../db/in-transaction.ts'
import { seal, unseal } from '../keys/digests-and-seals.ts'
import { isMailbox } from '../rules/mail-address.ts'
import { type AfterTry, afterTry, type MailKind, patienceOf, type TryOutcome } from '../rules/mail-states.ts'

/** One process tries a claimed mail. No other process does until `claimMs` after its last renewal. */
export interface ClaimedMail {
  readonly id: string
  readonly kind: MailKind
  readonly recipient: string
  /** The mail is about the things with these ids. */
  readonly about: readonly string[]
  /** The text was stored encrypted; null when it is written from the things that the mail is about. */
  readonly written: Written | null
  readonly tries: number
  readonly unsure: number
  readonly createdAt: Date
  readonly giveUpAt: Date
  /** The time is the present one by the database's clock. */
  readonly now: () => Date
}

export interface Written {
  readonly subject: string
  readonly text: string
}

const WrittenSchema = z.object({ subject: z.string(), text: z.string() })

/** A claim is valid for this many milliseconds. A mail in progress renews it. */
export const claimMs = 60_000

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

const columns = `id, kind, recipient, about, sealed, key_id, tries, unsure, created_at, give_up_at, clock_timestamp() AS now`

const INSERT_CLAIMED = `
  INSERT INTO mail (id, kind, recipient, about, give_up_at, sealed, key_id, tries, tried_at, claimed_until)
  VALUES ($1, $2, $3, $4, now() + $5 * interval '1 ms', $6, $7, 1, clock_timestamp(),
          clock_timestamp() + $8 * interval '1 ms')
  RETURNING ${columns}`

interface MailRow {
  readonly id: string
  readonly kind: MailKind
  readonly recipient: string
  readonly about: readonly string[]
  readonly sealed: Uint8Array<ArrayBuffer> | null
  readonly key_id: string | null
  readonly tries: number
  readonly unsure: number
  readonly created_at: Date
  readonly give_up_at: Date
  readonly now: Date
}

function toClaimed(row: MailRow): ClaimedMail {
  const { id, kind, recipient, about, tries, unsure } = row
  const claimed = performance.now()
  return {
    id,
    kind,
    recipient,
    about,
    tries,
    unsure,
    written: openSealed(row),
    createdAt: row.created_at,
    giveUpAt: row.give_up_at,
    now: () => new Date(row.now.getTime() + performance.now() - claimed),
  }
}

function openSealed({ id, sealed, key_id: keyId }: MailRow): Written | null {
  if (sealed === null || keyId === null) return null
  const text = unseal({ bytes: new Uint8Array(sealed), keyId }, placeOf(id))
  return text === null ? null : WrittenSchema.parse(JSON.parse(text))
}

/** `claimDue` claims at most `most` mails that are due. Only one process gets each. */
export async function claimDue(pool: pg.Pool, most: number): Promise<ClaimedMail[]> {
  const { rows } = await pool.query<MailRow>(CLAIM, [most, claimMs])
  return rows.map(toClaimed)
}

const CLAIM = `
  UPDATE mail SET tries = tries + 1, tried_at = clock_timestamp(), handed_over_at = NULL,
    claimed_until = clock_timestamp() + $2 * interval '1 ms'
  WHERE id = ANY(ARRAY(
    SELECT id FROM mail WHERE state = 'waiting' AND next_at <= clock_timestamp() AND claimed_until IS NULL
    ORDER BY next_at LIMIT $1 FOR UPDATE SKIP LOCKED))
  RETURNING ${columns}`

/**
 * `settleLeft` takes over mails of dead processes. A mail that was not handed over is due again, and one that was may have
 * arrived. It also ends mails that nobody tried in time.
 */
export async function settleLeft(pool: pg.Pool): Promise<void> {
  await pool.query(RELEASE)
  const { rows } = await pool.query<MailRow>(TAKE_OVER, [claimMs])
  const answer = 'The Rampart that handed it over ended before the mail server answered.'
  for (const mail of rows.map(toClaimed)) await recordTry(pool, mail, { kind: 'unsure', answer })
  await pool.query(END_LATE)
}

const RELEASE = `
  UPDATE mail SET claimed_until = NULL
  WHERE state = 'waiting' AND claimed_until < clock_timestamp() AND handed_over_at IS NULL`

const TAKE_OVER = `
  UPDATE mail SET claimed_until = clock_timestamp() + $1 * interval '1 ms'
  WHERE id = ANY(ARRAY(
    SELECT id FROM mail WHERE state = 'waiting' AND claimed_until < clock_timestamp() AND handed_over_at IS NOT NULL
    FOR UPDATE SKIP LOCKED))
  RETURNING ${columns}`

const END_LATE = `
  UPDATE mail SET state = CASE WHEN unsure > 0 THEN 'unknown' ELSE 'failed' END, ended_at = now(), sealed = NULL,
    key_id = NULL, last_answer = COALESCE(last_answer, 'It was not tried in time.')
  WHERE state = 'waiting' AND give_up_at <= now() AND claimed_until IS NULL`

/** `renewClaim` extends a claim while its mail is in progress. */
export async function renewClaim(pool: pg.Pool, { id, tries }: ClaimedMail): Promise<void> {
  await pool.query(RENEW, [id, tries, claimMs])
}

const RENEW = `
  UPDATE mail SET claimed_until = clock_timestamp() + $3 * interval '1 ms'
  WHERE id = $1 AND tries = $2 AND state = 'waiting' AND claimed_until IS NOT NULL`

/**
 * After this mark the mail may arrive, whatever happens to this process. It throws when another process has the mail by now,
 * or when it was withdrawn.
 */
export async function markHandedOver(pool: pg.Pool, { id, tries }: ClaimedMail): Promise<void> {
  const { rowCount } = await pool.query(MARK, [id, tries])
  if (rowCount !== 1) throw new Error('this mail was withdrawn, or another process sends it')
}

const MARK = `
  UPDATE mail SET handed_over_at = clock_timestamp()
  WHERE id = $1 AND tries = $2 AND state = 'waiting' AND claimed_until > clock_timestamp()`

/**
 * `recordTry` stores the outcome of a try. If another process has tried the mail since, that outcome stays, unless the mail
 * has arrived.
 */
export async function recordTry(pool: pg.Pool, mail: ClaimedMail, outcome: TryOutcome): Promise<AfterTry> {
  const after = afterTry(mail, outcome, mail.now())
  await pool.query(RECORD, [mail.id, mail.tries, after.state, after.unsure, after.nextAt, outcome.answer])
  return after
}

const RECORD = `
  UPDATE mail SET state = $3, unsure = $4, next_at = COALESCE($5, next_at), last_answer = $6, claimed_until = NULL,
    ended_at = CASE WHEN $3 <> 'waiting' THEN clock_timestamp() END,
    sealed = CASE WHEN $3 = 'waiting' THEN sealed END, key_id = CASE WHEN $3 = 'waiting' THEN key_id END
  WHERE id = $1 AND tries = $2 AND (state = 'waiting' OR state <> 'sent' AND $3 = 'sent')`

/** `dropMail` deletes the mail that this process is trying. */
export async function dropMail(pool: pg.Pool, { id, tries }: ClaimedMail): Promise<void> {
  await pool.query(`DELETE FROM mail WHERE id = $1 AND tries = $2 AND state = 'waiting'`, [id, tries])
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

/** `endWaiting` ends all mails that waited before `until`. In a restored database, they may have been sent since. */
export async function endWaiting(tx: Transaction, until: Date): Promise<void> {
  await tx.query(END_WAITING, [until])
}

const END_WAITING = `
  UPDATE mail SET state = 'unknown', ended_at = now(), claimed_until = NULL, sealed = NULL, key_id = NULL,
    last_answer = 'The database was restored from a backup while it waited.'
  WHERE state = 'waiting' AND created_at <= $1`
