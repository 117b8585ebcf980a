import 'server-only'
import { uuidv7 } from 'uuidv7'
import { z } from 'zod'
import type { Caller } from '#lib/access/caller.ts'
import type { CallSource } from '#lib/access/request-context.ts'
import { requirePermission } from '#lib/access/require-permission.ts'
import { inTransaction } from '#lib/platform/db/in-transaction.ts'
import { pool } from '#lib/platform/db/pool.ts'
import { Refused } from '#lib/platform/refusals.ts'
import { noteAudit } from './note-audit.ts'
import { authorOf, noteFields, noteSubject, requireTicketLink } from './note-fields.ts'

export const AddNoteSchema = z.object(noteFields)

/** Writes a note beside a transaction. Throws `NotAllowed`, `InvalidInput` and `Refused`. */
export async function addNote(
  caller: Caller,
  { transaction, text, ticket }: z.output<typeof AddNoteSchema>,
  source: CallSource,
): Promise<{ readonly noteId: string }> {
  requirePermission(caller, 'work-on-cases')
  const link = await requireTicketLink(ticket)
  const noteId = uuidv7()
  await inTransaction(pool(), async (tx) => {
    const added = await tx.query(ADD, [noteSubject(transaction), noteId, text, link, authorOf(caller)])
    if (added.rowCount === 0) throw new Refused(unknown)
    await noteAudit(tx, { actor: caller, action: 'note.add', transaction, noteId }, source)
  })
  return { noteId }
}

const ADD = `
  INSERT INTO transaction_note (subject_id, id, text, ticket, author)
  SELECT subject_id, $2, $3, $4, $5 FROM transaction WHERE subject_id = $1`

const unknown = {
  title: 'There is no such transaction.',
  next: 'Nothing was kept. Reload the page: its data may have been erased.',
}
