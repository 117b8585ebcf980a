import 'server-only'
import { z } from 'zod'
import { inTransaction } from '#lib/db/in-transaction.ts'
import { pool } from '#lib/db/pool.ts'
import { uuidField } from '#lib/forms/uuid-field.ts'
import type { Caller } from '#lib/request/caller.ts'
import { Refused } from '#lib/request/refusals.ts'
import type { CallSource } from '#lib/request/request-context.ts'
import { requirePermission } from '#lib/request/require-permission.ts'
import { noteAudit } from './note-audit.ts'
import { authorOf, noteFields, noteSubject, requireTicketLink } from './note-fields.ts'

export const ChangeNoteSchema = z.object({
  ...noteFields,
  noteId: uuidField('This is not the id of a note.'),
})

/** Writes one's own note anew. Throws `NotAllowed`, `InvalidInput` and `Refused`. */
export async function changeNote(
  caller: Caller,
  { transaction, noteId, text, ticket }: z.output<typeof ChangeNoteSchema>,
  source: CallSource,
): Promise<{ readonly noteId: string }> {
  requirePermission(caller, 'work-on-cases')
  const link = await requireTicketLink(ticket)
  const changed = await inTransaction(pool(), async (tx) => {
    const own = [noteSubject(transaction), noteId, authorOf(caller)]
    const { rowCount } = await tx.query(CHANGE, [...own, text, link])
    if (rowCount === 0) return false
    await noteAudit(tx, { actor: caller, action: 'note.change', transaction, noteId }, source)
    return true
  })
  if (!changed) throw new Refused(notThere)
  return { noteId }
}

const CHANGE = `
  UPDATE transaction_note SET text = $4, ticket = $5, changed_at = now()
  WHERE subject_id = $1 AND id = $2 AND author = $3`

const notThere = {
  title: 'This note is not there to be changed.',
  next: 'It was removed, or is somebody else’s. Copy what you wrote, then reload the page.',
}
