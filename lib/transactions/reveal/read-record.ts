import 'server-only'
import type { RecordName } from '#lib/access/rules/record-fields.ts'
import { subjectId } from '#lib/deliveries/rules/subject.ts'
import { pool } from '#lib/platform/db/pool.ts'
import { readAccount } from '#lib/timeline/read-account.ts'
import type { TransactionRow } from '#lib/timeline/tables/transaction.ts'
import { toParties } from '#lib/timeline/tables/transaction-details.ts'

/** Of what a field may be shown whole. */
export const revealedRecords = ['transaction', 'account'] as const satisfies readonly RecordName[]

export interface RevealedRecord {
  /** What can be masked of it, as it is. */
  readonly fields: object
  /** Whose it is. */
  readonly userUuid: string | null
}

/** A transaction, or a customer's own bank account. Null when there is none. The caller has checked access. */
export async function readRecord(
  name: (typeof revealedRecords)[number],
  uuid: string,
): Promise<RevealedRecord | null> {
  if (name === 'account') {
    const account = await readAccount(uuid)
    return account && { fields: account.details, userUuid: account.userUuid }
  }
  const { rows } = await pool().query<Pick<TransactionRow, 'details' | 'user_uuid'>>(
    'SELECT details, user_uuid FROM transaction WHERE subject_id = $1',
    [subjectId({ kind: 'transaction', id: uuid })],
  )
  const [row] = rows
  return row ? { fields: { parties: toParties(row.details) }, userUuid: row.user_uuid } : null
}
