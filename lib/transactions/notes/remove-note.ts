import 'server-only'
import type { z } from 'zod'
import { type Caller, type CallSource, requirePermission } from '#lib/access/caller.ts'
import { may } from '#lib/access/rules/roles.ts'
import { inTransaction } from '#lib/platform/db/in-transaction.ts'
import { pool } from '#lib/platform/db/pool.ts'
import { Refused } from '#lib/platform/refusals.ts'
import { authorOf, ChangeNoteSchema, noteAudit, noteSubject } from './notes.ts'

export const RemoveNoteSchema = ChangeNoteSchema.pick({ transaction: true, noteId: true })

/**
 * The author removes a note for good. Admins may remove any note, because its author may have left. Throws
 * `NotAllowed` and `Refused`.
 */
export async function removeNote(
  caller: Caller,
  { transaction, noteId }: z.output<typeof RemoveNoteSchema>,
  source: CallSource,
): Promise<{ readonly noteId: string }> {
  requirePermission(caller, 'work-on-cases')
  const anybodys = may(caller.role, 'manage-team')
  const removed = await inTransaction(pool(), async (tx) => {
    const { rowCount } = await tx.query(REMOVE, [
      noteSubject(transaction),
      noteId,
      authorOf(caller),
      anybodys,
    ])
    if (rowCount === 0) return false
    await noteAudit(tx, { actor: caller, action: 'note.remove', transaction, noteId }, source)
    return true
  })
  if (!removed) throw new Refused('note-not-removable')
  return { noteId }
}

const REMOVE = `
  DELETE FROM transaction_note WHERE subject_id = $1 AND id = $2 AND (author = $3 OR $4)`
