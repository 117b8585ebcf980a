'use client'

import { postJson } from '#components/ui/browser/fetch-json.ts'
import { defineList } from '#components/ui/list/use-list.ts'
import type { TransactionSort } from '#lib/transactions/rules/transaction-filters.ts'
import type { TransactionPage, TransactionView } from '#lib/transactions/transaction-view.ts'

/** Amounts and statuses of every row change, so rows that newer ones pushed off the page are read again. */
export const useListedTransactions = defineList<TransactionView, TransactionPage>({
  key: 'transactions',
  idOf: ({ uuid }) => uuid,
  renew: (uuids, signal) => postJson('/api/transactions/rows', { uuids }, signal),
})

/** Each order sorts by this value, from the top down. */
export const transactionPlace = {
  started: (row) => Date.parse(row.startedAt),
  moved: (row) => Date.parse(row.lastMoveAt),
  amount: (row) => Number(row.amountFiat ?? Number.NEGATIVE_INFINITY),
} satisfies Record<TransactionSort, (row: TransactionView) => number>
