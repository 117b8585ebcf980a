import type { AddressQuery } from '#components/ui/browser/use-address.ts'
import {
  type FilterName,
  type FilterTexts,
  filterNames,
  type TransactionSort,
  transactionSorts,
} from '#lib/transactions/rules/transaction-filters.ts'
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
