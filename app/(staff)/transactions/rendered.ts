import type { Found } from '#lib/search/found.ts'
import type { TransactionPage } from '#lib/transactions/transaction-view.ts'
import type { TransactionsSearch } from './search.ts'

/** What the server put into the page, and for which address. */
export interface Rendered {
  readonly search: TransactionsSearch
  /** Milliseconds since 1970. */
  readonly at: number
  readonly page: TransactionPage | null
  readonly found: Found | null
}
