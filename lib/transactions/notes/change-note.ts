import 'server-only'
import { z } from 'zod'
import type { Caller } from '#lib/access/caller.ts'
import { nothingToChange } from '#lib/access/nothing-to-change.ts'
import type { CallSource } from '#lib/access/request-context.ts'
import { requirePermission } from '#lib/access/require-permission.ts'
import { inTransaction } from '#lib/platform/db/in-transaction.ts'
import { pool } from '#lib/platform/db/pool.ts'
import { uuidField } from '#lib/platform/forms/uuid-field.ts'
import { Refused } from '#lib/platform/refusals.ts'
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
    const { rows } = await tx.query<{ same: boolean }>(CHANGE, [...own, text, link])
    const [found] = rows
    if (!found) return false
    if (found.same) throw new Refused(nothingToChange)
    await noteAudit(tx, { actor: caller, action: 'note.change', transaction, noteId }, source)
    return true
  })
  if (!changed) throw new Refused(notThere)
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

const notThere = {
  title: 'This note is not there to be changed.',
  next: 'It was removed, or is somebody else’s. Copy what you wrote, then reload the page.',
}
