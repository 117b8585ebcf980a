import 'server-only'
import type { SqlQuery } from '#lib/platform/paging/count-up-to.ts'
import type { MatchingQueries } from './count-matching-transactions.ts'
import { parseCursor } from './cursor.ts'
import type { Given } from './row-condition.ts'
import { type SortKey, sorts } from './sorts.ts'
import type { TransactionFilters } from './transaction-view.ts'

/** What reads a list of transactions. */
export interface ListQueries {
  /** The rows of a page, at most `limit`. */
  readonly page: (limit: number) => SqlQuery
  readonly matching: MatchingQueries
}

/** The order of a list, and what lies beyond its cursor. */
export function orderOf({ sort = 'started', cursor }: TransactionFilters, given: Given) {
  const keys: readonly SortKey[] = sorts[sort]
  const columns = [...keys.map(({ by }) => by), 'subject_id']
  const types = [...keys.map(({ type }) => type), 'text']
  const after = cursor === undefined ? null : parseCursor(sort, cursor)
  const place = after ? [...after.values, after.subjectId] : []
  const parameters = place.map((value, i) => `${given(value)}::${types[i]}`)
  return {
    first: sorts[sort][0],
    columns,
    order: `ORDER BY ${columns.map((column) => `${column} DESC`).join(', ')}`,
    beyond: after ? `(${columns.join(', ')}) < (${parameters.join(', ')})` : 'true',
  }
}
