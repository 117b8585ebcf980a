import 'server-only'
import { type ListQueries, orderOf } from './list-queries.ts'
import { parameters, rowCondition, type StuckRule } from './row-condition.ts'
import type { TransactionFilters } from './transaction-view.ts'

/** A list by the index of its order, of its user, or of conflicts. */
export function plainList(filters: TransactionFilters, stuck: StuckRule | null = null): ListQueries {
  const values: unknown[] = []
  const condition = rowCondition(filters, parameters(values), stuck)
  return {
    page: (limit) => {
      const all = [...values]
      const { order, beyond } = orderOf(filters, parameters(all))
      return {
        sql: `SELECT * FROM transaction WHERE ${condition} AND ${beyond} ${order} LIMIT ${limit}`,
        values: all,
      }
    },
    matching: {
      // How many there are is the same in any order: counted in the one that the index of a user has.
      first: (most) => ({
        sql: `SELECT FROM transaction WHERE ${condition} ORDER BY started_at DESC LIMIT ${most}`,
        values,
      }),
      all: { sql: `SELECT FROM transaction WHERE ${condition}`, values },
    },
  }
}
