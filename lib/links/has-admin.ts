import 'server-only'
import type { Transaction } from '#lib/db/in-transaction.ts'

/** Whether anybody is an admin, who could invite others. */
export async function hasAdmin(tx: Transaction): Promise<boolean> {
  const { rows } = await tx.query(
    `SELECT FROM member WHERE role = 'admin' AND joined_at IS NOT NULL AND removed_at IS NULL LIMIT 1`,
  )
  return rows.length > 0
}
