import { createLoader, createSerializer, parseAsString, parseAsStringLiteral } from 'nuqs/server'
import { type Direction, directions } from '#lib/domain/delivery/steps.ts'
import { type TransactionSort, transactionSorts } from '#lib/domain/transaction/transaction-sort.ts'

/** What the address of the list says: what is looked for, or the filters, the order and the page. */
export const transactionsSearch = {
  search: parseAsString,
  direction: parseAsStringLiteral(directions),
  step: parseAsString,
  sort: parseAsStringLiteral(transactionSorts),
  cursor: parseAsString,
}

export interface TransactionsSearch {
  /** The link that stands for what is looked for, see `lib/search/search-link.ts`. */
  readonly search: string | null
  readonly direction: Direction | null
  readonly step: string | null
  readonly sort: TransactionSort | null
  readonly cursor: string | null
}

export const loadTransactionsSearch = createLoader(transactionsSearch)

/** The address of the JSON route, or of the page itself, with the same words. */
export const transactionsApiUrl = createSerializer(transactionsSearch)
