import 'server-only'
import { pool } from '#lib/db/pool.ts'
import { pageOf } from '#lib/paging/page-of.ts'
import { pageSize } from '#lib/paging/page-size.ts'
import type { Caller } from '#lib/request/caller.ts'
import { requirePermission } from '#lib/request/require-permission.ts'
import type { TransactionRow } from '#lib/tables/transaction.ts'
import { branchesHaveIndexes } from './branches-have-indexes.ts'
import { countMatchingTransactions } from './count-matching-transactions.ts'
import { toCursor } from './cursor.ts'
import { mergedList } from './merged-list.ts'
import { plainList } from './plain-list.ts'
import { type TransactionFilters, type TransactionPage, toTransactionViews } from './transaction-view.ts'

/** Everybody's transactions, in the order asked for. Throws `NotAllowed` and `CursorRefused`. */
export async function listTransactions(
  caller: Caller,
  filters: TransactionFilters = {},
): Promise<TransactionPage> {
  requirePermission(caller, 'see-everything')
  const { sort = 'started' } = filters
  const limit = pageSize(filters.limit)
  // A user's have an index of their own.
  const merged = filters.userUuid === undefined && (await branchesHaveIndexes())
  const { page, matching } = merged ? mergedList(filters) : plainList(filters)
  const { sql, values } = page(limit + 1)
  const [{ rows }, total] = await Promise.all([
    pool().query<TransactionRow>(sql, values),
    countMatchingTransactions(matching),
  ])
  const { listed, next } = pageOf(rows, limit, (last) => toCursor(sort, last))
  return { rows: await toTransactionViews(caller.role, listed), next, total }
}
