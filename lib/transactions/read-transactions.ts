import 'server-only'
import { z } from 'zod'
import type { Caller } from '#lib/access/caller.ts'
import { requirePermission } from '#lib/access/require-permission.ts'
import type { Role } from '#lib/access/rules/roles.ts'
import { subjectId } from '#lib/deliveries/rules/subject.ts'
import { pool } from '#lib/platform/db/pool.ts'
import type { TransactionRow } from '#lib/timeline/tables/transaction.ts'
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
  return transactionsOf(
    caller.role,
    uuids.map((id) => subjectId({ kind: 'transaction', id })),
  )
}

/** Those of these subjects that are there, as this role may see them, by their ids. */
export async function transactionsOf(role: Role, subjectIds: readonly string[]): Promise<TransactionView[]> {
  if (subjectIds.length === 0) return []
  const { rows } = await pool().query<TransactionRow>(
    'SELECT * FROM transaction WHERE subject_id = ANY($1) ORDER BY subject_id',
    [subjectIds],
  )
  return toTransactionViews(role, rows)
}
