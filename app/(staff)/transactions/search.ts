import {
  createLoader,
  createSerializer,
  type inferParserType,
  parseAsString,
  parseAsStringLiteral,
} from 'nuqs/server'
import {
  type FilterName,
  type FilterTexts,
  filterNames,
} from '#lib/domain/transaction/transaction-filters.ts'
import { transactionSorts } from '#lib/domain/transaction/transaction-sort.ts'

/** What the address of the list says: what is looked for, the filters as they were written, the order and the page. */
export const transactionsSearch = {
  /** The link that stands for what is looked for, see `lib/search/search-link.ts`. */
  search: parseAsString,
  direction: parseAsString,
  step: parseAsString,
  reason: parseAsString,
  currency: parseAsString,
  chain: parseAsString,
  min: parseAsString,
  max: parseAsString,
  since: parseAsString,
  from: parseAsString,
  to: parseAsString,
  user: parseAsString,
  flags: parseAsString,
  sort: parseAsStringLiteral(transactionSorts),
  cursor: parseAsString,
}

export type TransactionsSearch = inferParserType<typeof transactionsSearch>

export const loadTransactionsSearch = createLoader(transactionsSearch)

/** The address of the JSON route, or of the page itself, with the same words. */
export const transactionsApiUrl = createSerializer(transactionsSearch)

/** The filters that are given, as they are sent beside what is looked for. */
export const givenFilters = (search: TransactionsSearch): FilterTexts & Record<string, string> =>
  Object.fromEntries(
    filterNames.flatMap((name) => {
      const text = search[name]
      return text === null ? [] : [[name, text]]
    }),
  )

/** What to write into the address: null takes a filter away, and what is not named stays. */
export const changedFilters = (texts: FilterTexts): Partial<Record<FilterName, string | null>> =>
  Object.fromEntries(
    filterNames.flatMap((name) => {
      const text = texts[name]
      return text === undefined ? [] : [[name, text]]
    }),
  )
