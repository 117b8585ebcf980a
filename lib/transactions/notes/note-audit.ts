import 'server-only'
import type { Caller } from '#lib/access/caller.ts'
import type { CallSource } from '#lib/access/request-context.ts'
import { type AuditAction, recordAudit } from '#lib/audit/record-audit.ts'
import { changeChannel, changePayloads } from '#lib/platform/change-notification.ts'
import type { Transaction } from '#lib/platform/db/in-transaction.ts'
import { noteSubject } from './note-fields.ts'

interface NoteEntry {
  readonly actor: Caller
  readonly action: AuditAction & `note.${string}`
  readonly transaction: string
  readonly noteId: string
}

/** Writes down that a note was written, changed or removed, without what it says, and tells open pages of staff alone. */
export async function noteAudit(
  tx: Transaction,
  { actor, action, transaction, noteId }: NoteEntry,
  source: CallSource,
): Promise<void> {
  const subject = noteSubject(transaction)
  const { rows } = await tx.query<{ person: string | null }>(PERSON, [subject])
  const person = rows[0]?.person ?? null
  const details = { note: noteId, ...(person === null ? {} : { person }) }
  await recordAudit(tx, { actor, action, target: transaction, outcome: 'done', details }, source)
  for (const payload of changePayloads([{ subjectId: subject, userUuid: null }], Date.now()))
    await tx.query('SELECT pg_notify($1, $2)', [changeChannel, payload])
}

const PERSON = 'SELECT user_uuid AS person FROM transaction WHERE subject_id = $1'
