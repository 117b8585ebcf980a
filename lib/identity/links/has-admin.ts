import 'server-only'
import type { Transaction } from '#lib/platform/db/in-transaction.ts'

/** Whether anybody, or anybody `besides` one member, is an admin, who could invite others. */
export async function hasAdmin(tx: Transaction, besides: string | null = null): Promise<boolean> {
  const { rows } = await tx.query(FIND, [besides])
  return rows.length > 0
}

const FIND = `
  SELECT FROM member
  WHERE role = 'admin' AND joined_at IS NOT NULL AND removed_at IS NULL AND id IS DISTINCT FROM $1 LIMIT 1`
