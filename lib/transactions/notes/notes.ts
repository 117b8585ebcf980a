import 'server-only'
import { uuidv7 } from 'uuidv7'
import { z } from 'zod'
import { type Caller, type CallSource, requirePermission } from '#lib/access/caller.ts'
import { showRecord } from '#lib/access/rules/records.ts'
import { may } from '#lib/access/rules/roles.ts'
import { type AuditAction, recordAudit } from '#lib/audit/record-audit.ts'
import { changeChannel, changePayloads } from '#lib/platform/change-notification.ts'
import { inTransaction, type Transaction } from '#lib/platform/db/in-transaction.ts'
import { pool } from '#lib/platform/db/pool.ts'
import { textParameter } from '#lib/platform/db/statements.ts'
import { uuidField } from '#lib/platform/forms/fields.ts'
import { InvalidInput, Refused } from '#lib/platform/refusals.ts'
import { plainText } from '#lib/platform/rules/pasted-text.ts'
import { readTicket, ticketName } from '#lib/platform/rules/ticket.ts'
import { readSettings } from '#lib/platform/settings/settings.ts'

/** The caller sees a note in this form. Times are ISO 8601. */
export interface NoteView {
  readonly id: string
  /** `text` and `ticket` are null for roles that read no free text. */
  readonly text: string | null
  /** The ticket is an address with its label. */
  readonly ticket: string | null
  readonly ticketName: string | null
  /** `by` is the name of the author. */
  readonly by: string
  readonly writtenAt: string
  readonly changedAt: string | null
  readonly mayChange: boolean
  readonly mayRemove: boolean
}

/** The latest notes of a subject come first, 200 at most. Throws `NotAllowed`. */
export async function listNotes(caller: Caller, subject: string): Promise<NoteView[]> {
  requirePermission(caller, 'see-everything')
  const id = textParameter(subject).toLowerCase()
  const [{ rows }, { ticketAddress }] = await Promise.all([pool().query<NoteRow>(LIST, [id]), readSettings()])
  const works = may(caller.role, 'work-on-cases')
  return rows.map(({ author, ticket, writtenAt, changedAt, ...rest }) =>
    showRecord(caller.role, 'note', {
      ...rest,
      ticket,
      ticketName: ticket === null ? null : ticketName(ticket, ticketAddress),
      writtenAt: writtenAt.toISOString(),
      changedAt: changedAt?.toISOString() ?? null,
      mayChange: works && author === authorOf(caller),
      mayRemove: works && (author === authorOf(caller) || may(caller.role, 'manage-team')),
    }),
  )
}

interface NoteRow {
  readonly id: string
  readonly text: string
  readonly ticket: string | null
  readonly author: string
  readonly by: string
  readonly writtenAt: Date
  readonly changedAt: Date | null
}

const LIST = `
  WITH written AS MATERIALIZED (
    SELECT id, text, ticket, author, written_at, changed_at FROM transaction_note
    WHERE subject_id = $1 ORDER BY id DESC LIMIT 200
  )
  SELECT id, text, ticket, author, written_at AS "writtenAt", changed_at AS "changedAt",
    COALESCE((SELECT name FROM member WHERE member.id::text = author), author) AS by
  FROM written ORDER BY id DESC`

/** Every form of a note sends these fields. */
const noteFields = {
  subject: z
    .string()
    .trim()
    .toLowerCase()
    .regex(/^transaction:[^\0]{1,200}$/, 'This is not the id of a transaction.'),
  text: z
    .string('Write something.')
    .trim()
    .min(1, 'Write something.')
    .max(2_000, 'At most 2,000 characters.')
    .regex(/^[^\0]*$/, 'Only letters and signs that can be printed.'),
  ticket: z.string().trim().max(500, 'At most 500 characters.').optional(),
}

/** The link is kept; null when the field was empty. Throws `InvalidInput`. */
async function requireTicketLink(ticket: string | undefined): Promise<string | null> {
  const typed = plainText(ticket ?? '').trim()
  if (typed === '') return null
  const { ticketAddress } = await readSettings()
  const link = readTicket(typed, ticketAddress)
  if (link !== null) return link
  throw new InvalidInput({
    ticket:
      ticketAddress === null
        ? 'This is no web address with https://.'
        : `This is no ticket of ${ticketAddress}: give its name, or its whole address.`,
  })
}

/** The author is named by the id of the member; after an erasure the row of the member names nobody. */
const authorOf = (caller: Caller): string => caller.memberId ?? caller.id

export const AddNoteSchema = z.object(noteFields)

/** Throws `NotAllowed`, `InvalidInput` and `Refused`. */
export async function addNote(
  caller: Caller,
  { subject, text, ticket }: z.output<typeof AddNoteSchema>,
  source: CallSource,
): Promise<{ readonly noteId: string }> {
  requirePermission(caller, 'work-on-cases')
  const link = await requireTicketLink(ticket)
  const noteId = uuidv7()
  await inTransaction(pool(), async (tx) => {
    const added = await tx.query(ADD, [subject, noteId, text, link, authorOf(caller)])
    if (added.rowCount === 0) throw new Refused('transaction-unknown')
    await noteAudit(tx, { actor: caller, action: 'note.add', subject, noteId }, source)
  })
  return { noteId }
}

const ADD = `
  INSERT INTO transaction_note (subject_id, id, text, ticket, author)
  SELECT subject_id, $2, $3, $4, $5 FROM transaction WHERE subject_id = $1`

export const ChangeNoteSchema = z.object({
  ...noteFields,
  noteId: uuidField('This is not the id of a note.'),
})

/** Only the author may change a note. Throws `NotAllowed`, `InvalidInput` and `Refused`. */
export async function changeNote(
  caller: Caller,
  { subject, noteId, text, ticket }: z.output<typeof ChangeNoteSchema>,
  source: CallSource,
): Promise<{ readonly noteId: string }> {
  requirePermission(caller, 'work-on-cases')
  const link = await requireTicketLink(ticket)
  const changed = await inTransaction(pool(), async (tx) => {
    const own = [subject, noteId, authorOf(caller)]
    const { rows } = await tx.query<{ same: boolean }>(CHANGE, [...own, text, link])
    const [found] = rows
    if (!found) return false
    if (found.same) throw new Refused('nothing-to-change')
    await noteAudit(tx, { actor: caller, action: 'note.change', subject, noteId }, source)
    return true
  })
  if (!changed) throw new Refused('note-not-changeable')
  return { noteId }
}

const CHANGE = `
  WITH present AS (
    SELECT (text, ticket) IS NOT DISTINCT FROM ($4::text, $5::text) AS same FROM transaction_note
    WHERE subject_id = $1 AND id = $2 AND author = $3 FOR UPDATE
  ), changed AS (
    UPDATE transaction_note SET text = $4, ticket = $5, changed_at = now() FROM present
    WHERE subject_id = $1 AND id = $2 AND author = $3 AND NOT same
  )
  SELECT same FROM present`

interface NoteEntry {
  readonly actor: Caller
  readonly action: AuditAction & `note.${string}`
  readonly subject: string
  readonly noteId: string
}

/**
 * The audit records that a note was written, changed or removed, without its text; only open pages of staff are informed.
 */
async function noteAudit(
  tx: Transaction,
  { actor, action, subject, noteId }: NoteEntry,
  source: CallSource,
): Promise<void> {
  const { rows } = await tx.query<{ person: string | null }>(PERSON, [subject])
  const person = rows[0]?.person ?? null
  const details = { note: noteId, ...(person === null ? {} : { person }) }
  const target = subject.replace(/^transaction:/, '')
  await recordAudit(tx, { actor, action, target, outcome: 'done', details }, source)
  for (const payload of changePayloads([{ subjectId: subject, userUuid: null }], Date.now()))
    await tx.query('SELECT pg_notify($1, $2)', [changeChannel, payload])
}

const PERSON = 'SELECT user_uuid AS person FROM transaction WHERE subject_id = $1'

export const RemoveNoteSchema = ChangeNoteSchema.pick({ subject: true, noteId: true })

/**
 * The author removes a note for good. Admins may remove any note, because its author may have left. Throws
 * `NotAllowed` and `Refused`.
 */
export async function removeNote(
  caller: Caller,
  { subject, noteId }: z.output<typeof RemoveNoteSchema>,
  source: CallSource,
): Promise<{ readonly noteId: string }> {
  requirePermission(caller, 'work-on-cases')
  const anybodys = may(caller.role, 'manage-team')
  const removed = await inTransaction(pool(), async (tx) => {
    const { rowCount } = await tx.query(REMOVE, [subject, noteId, authorOf(caller), anybodys])
    if (rowCount === 0) return false
    await noteAudit(tx, { actor: caller, action: 'note.remove', subject, noteId }, source)
    return true
  })
  if (!removed) throw new Refused('note-not-removable')
  return { noteId }
}

const REMOVE = `
  DELETE FROM transaction_note WHERE subject_id = $1 AND id = $2 AND (author = $3 OR $4)`
