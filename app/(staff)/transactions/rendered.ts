import type { LinkedFound } from '#lib/search/search.ts'
import type { WrongFilter } from '#lib/transactions/rules/read-filters.ts'
import type { TransactionPage } from '#lib/transactions/transaction-view.ts'
import type { TransactionsSearch } from './search.ts'

/** The server put this into the page, for this address. */
export interface Rendered {
  readonly search: TransactionsSearch
  /** `at` is in ms since 1970. */
  readonly at: number
  readonly page: TransactionPage | null
  readonly found: LinkedFound | null
  /** These filters of the address are invalid. */
  readonly wrong: readonly WrongFilter[]
  /** The link of the address belongs to no search (`unknown`), or to one whose person was erased. */
  readonly deadLink: 'unknown' | 'erased' | null
  /** `person` names the person of the filters, as the reader's role may know it. */
  readonly person: string | null
}
