import 'server-only'
import { z } from 'zod'
import { pool } from '#lib/db/pool.ts'
import { uuidField } from '#lib/forms/uuid-field.ts'
import type { Caller } from '#lib/request/caller.ts'
import { requirePermission } from '#lib/request/require-permission.ts'

export const MarkNoticesSeenSchema = z.object({
  /** This notice and all older ones. */
  newest: uuidField('This is not the id of a notice.'),
})

/** This admin has seen a notice and all older ones; it stays for the others. Throws `NotAllowed`. */
export async function markNoticesSeen(
  caller: Caller,
  { newest }: z.output<typeof MarkNoticesSeenSchema>,
): Promise<{ readonly marked: number }> {
  requirePermission(caller, 'read-notices')
  const { rowCount } = await pool().query(MARK, [caller.id, newest])
  return { marked: rowCount ?? 0 }
}

const MARK = `
  UPDATE admin_notice SET seen_by = array_append(seen_by, $1)
  WHERE id <= $2::uuid AND NOT $1 = ANY(seen_by)`
