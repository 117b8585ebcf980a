import 'server-only'
import { textParameter } from '#lib/db/text-parameter.ts'
import type { SqlQuery } from '#lib/paging/count-up-to.ts'
import type { MatchingQueries } from './count-matching-transactions.ts'
import { parseCursor } from './cursor.ts'
import { type SortKey, sorts } from './sorts.ts'
import type { TransactionFilters } from './transaction-view.ts'

/** What reads a list of transactions. */
export interface ListQueries {
  /** The rows of a page, at most `limit`. */
  readonly page: (limit: number) => SqlQuery
  readonly matching: MatchingQueries
}

/** The conditions that are given, each with the number of its parameter. */
export function conditionOf(asked: readonly (readonly [column: string, value: string | null | undefined])[]) {
  const given = asked.flatMap(([column, value]) =>
    typeof value === 'string' ? [{ column, value: textParameter(value) }] : [],
  )
  return {
    condition: given.map(({ column }, i) => `${column} = $${i + 1}`).join(' AND ') || 'true',
    values: given.map(({ value }): unknown => value),
  }
}

/** The order of a list, and what lies beyond its cursor, whose parameters begin at number `from`. */
export function orderOf({ sort = 'started', cursor }: TransactionFilters, from: number) {
  const keys: readonly SortKey[] = sorts[sort]
  const columns = [...keys.map(({ by }) => by), 'subject_id']
  const types = [...keys.map(({ type }) => type), 'text']
  const parameters = types.map((type, i) => `$${from + i}::${type}`)
  const after = cursor === undefined ? null : parseCursor(sort, cursor)
  return {
    first: sorts[sort][0],
    order: `ORDER BY ${columns.map((column) => `${column} DESC`).join(', ')}`,
    beyond: after ? `(${columns.join(', ')}) < (${parameters.join(', ')})` : 'true',
    place: after ? [...after.values, after.subjectId] : [],
  }
}
