import type { AddressQuery } from '#components/ui/browser/use-address.ts'
import type { LinkedFound } from '#lib/search/search.ts'
import type { WrongFilter } from '#lib/transactions/rules/read-filters.ts'
import {
  type FilterName,
  type FilterTexts,
  filterNames,
  type TransactionSort,
  transactionSorts,
} from '#lib/transactions/rules/transaction-filters.ts'
import type { TransactionPage } from '#lib/transactions/transaction-view.ts'
import { addressOf } from '../address-of.ts'

/** The address of the list has the search, the filters as they were written, the order and the page. */
export interface TransactionsSearch extends Readonly<Record<FilterName, string | null>> {
  /** The link belongs to a search, see `lib/search/search-link.ts`. */
  readonly search: string | null
  readonly sort: TransactionSort | null
  readonly cursor: string | null
}

export const readTransactionsSearch = (query: AddressQuery): TransactionsSearch => ({
  ...filtersIn(query),
  search: query.get('search'),
  sort: transactionSorts.find((each) => each === query.get('sort')) ?? null,
  cursor: query.get('cursor'),
})

const filtersIn = (query: AddressQuery) =>
  Object.fromEntries(filterNames.map((name) => [name, query.get(name)])) as Record<FilterName, string | null>

/** The address is that of the JSON route, or of the page itself, with the same query. */
export const transactionsUrl = (path: string, search: TransactionsSearch): string =>
  addressOf(path, { ...search })

/** The filters that are set are sent beside the search. */
export const givenFilters = (search: TransactionsSearch): FilterTexts & Record<string, string> =>
  Object.fromEntries(
    filterNames.flatMap((name) => {
      const text = search[name]
      return text === null ? [] : [[name, text]]
    }),
  )

/** These values are written into the address: null removes a filter, and others stay. */
export const changedFilters = (texts: FilterTexts): Partial<Record<FilterName, string | null>> =>
  Object.fromEntries(
    filterNames.flatMap((name) => {
      const text = texts[name]
      return text === undefined ? [] : [[name, text]]
    }),
  )

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
