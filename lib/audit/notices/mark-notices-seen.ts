import 'server-only'
import { z } from 'zod'
import type { Caller } from '#lib/access/caller.ts'
import { requirePermission } from '#lib/access/require-permission.ts'
import { pool } from '#lib/platform/db/pool.ts'
import { uuidField } from '#lib/platform/forms/uuid-field.ts'

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
