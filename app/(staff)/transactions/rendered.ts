import type { LinkedFound } from '#lib/search/search.ts'
import type { WrongFilter } from '#lib/transactions/rules/read-filters.ts'
import type { TransactionPage } from '#lib/transactions/transaction-view.ts'
import type { TransactionsSearch } from './search.ts'

/** What the server put into the page, and for which address. */
export interface Rendered {
  readonly search: TransactionsSearch
  /** Milliseconds since 1970. */
  readonly at: number
  readonly page: TransactionPage | null
  readonly found: LinkedFound | null
  /** Filters of the address that are none. */
  readonly wrong: readonly WrongFilter[]
  /** The address has a link that stands for no search, or for one whose person was erased. */
  readonly deadLink: 'unknown' | 'erased' | null
  /** Who the person of the filters is, as the reader's role may know it. */
  readonly person: string | null
}
