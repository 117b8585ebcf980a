import 'server-only'
import { conditionOf, type ListQueries, orderOf } from './list-queries.ts'
import type { TransactionFilters } from './transaction-view.ts'

/** A list by the index of its order or of its user. */
export function plainList(filters: TransactionFilters): ListQueries {
  const { direction, step, userUuid } = filters
  const { condition, values } = conditionOf([
    ['user_uuid', userUuid?.toLowerCase()],
    ['direction', direction],
    ['step', step],
  ])
  const { order, beyond, place } = orderOf(filters, values.length + 1)
  return {
    page: (limit) => ({
      sql: `SELECT * FROM transaction WHERE ${condition} AND ${beyond} ${order} LIMIT ${limit}`,
      values: [...values, ...place],
    }),
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
