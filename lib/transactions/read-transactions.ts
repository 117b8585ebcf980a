import 'server-only'
import { z } from 'zod'
import { pool } from '#lib/db/pool.ts'
import { subjectId } from '#lib/domain/delivery/subject.ts'
import type { Caller } from '#lib/request/caller.ts'
import { requirePermission } from '#lib/request/require-permission.ts'
import type { TransactionRow } from '#lib/tables/transaction.ts'
import { type TransactionView, toTransactionViews } from './transaction-view.ts'

/** Ids of transactions; 200 at most, as many as a page of a list may have. */
export const ReadTransactionsSchema = z.object({
  uuids: z.array(z.string().regex(/^[^\0]{1,300}$/)).max(200),
})

/** These transactions as they are now, without those that are not there. Throws `NotAllowed`. */
export async function readTransactions(
  caller: Caller,
  { uuids }: z.output<typeof ReadTransactionsSchema>,
): Promise<TransactionView[]> {
  requirePermission(caller, 'see-everything')
  const { rows } = await pool().query<TransactionRow>(
    'SELECT * FROM transaction WHERE subject_id = ANY($1) ORDER BY subject_id',
    [uuids.map((id) => subjectId({ kind: 'transaction', id }))],
  )
  return toTransactionViews(caller.role, rows)
}
