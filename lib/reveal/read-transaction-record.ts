import 'server-only'
import { pool } from '#lib/db/pool.ts'
import { subjectId } from '#lib/domain/delivery/subject.ts'
import type { TransactionRow } from '#lib/tables/transaction.ts'
import { type TransactionParties, toParties } from '#lib/tables/transaction-details.ts'

/** What can be masked of a transaction, as it is; whose it is. Null when there is none. The caller has checked access. */
export async function readTransactionRecord(
  uuid: string,
): Promise<{ readonly parties: TransactionParties; readonly userUuid: string | null } | null> {
  const { rows } = await pool().query<Pick<TransactionRow, 'details' | 'user_uuid'>>(
    'SELECT details, user_uuid FROM transaction WHERE subject_id = $1',
    [subjectId({ kind: 'transaction', id: uuid })],
  )
  const [row] = rows
  return row ? { parties: toParties(row.details), userUuid: row.user_uuid } : null
}
