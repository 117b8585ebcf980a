import 'server-only'
import { branches, hasFinished, ofBranch } from './branches.ts'
import { type ListQueries, orderOf } from './list-queries.ts'
import { branchCondition, parameters } from './row-condition.ts'
import type { TransactionFilters } from './transaction-view.ts'

/** A list of all users by direction and step alone, merged of its branches. Decision 0032. */
export function mergedList(filters: TransactionFilters): ListQueries {
  const values: unknown[] = []
  const condition = branchCondition(filters, parameters(values))
  const placed = [...values]
  const { first, order, beyond } = orderOf(filters, parameters(placed))
  const WITH = `WITH RECURSIVE ${branches}, branch AS MATERIALIZED (SELECT * FROM found WHERE ${condition})`
  const read = (limit: number, within: string) => `LATERAL (
    SELECT * FROM transaction WHERE ${ofBranch} AND ${within} ${order} LIMIT ${limit}
  ) AS listed`
  return {
    // A transaction that moves leaves a dead entry in the index of the branch it left. A page is therefore
    // filled from finished branches first, and the others are only searched for rows above its last one.
    page: (limit) => ({
      sql: `
        ${WITH},
        finished AS MATERIALIZED (
          SELECT listed.* FROM branch, ${read(limit, beyond)} WHERE ${hasFinished} ${order} LIMIT ${limit}
        ),
        lowest AS MATERIALIZED (
          SELECT COALESCE(
            (SELECT ${first.by} FROM finished ${order} OFFSET ${limit - 1}), '-infinity'::${first.type}
          ) AS value
        ),
        open AS MATERIALIZED (
          SELECT listed.* FROM branch, ${read(limit, `${beyond} AND ${first.by} >= (SELECT value FROM lowest)`)}
          WHERE NOT (${hasFinished}) ${order} LIMIT ${limit}
        )
        SELECT * FROM (TABLE finished UNION ALL TABLE open) AS merged ${order} LIMIT ${limit}`,
      values: placed,
    }),
    matching: {
      first: (most) => ({
        sql: `
          ${WITH}
          SELECT FROM (SELECT * FROM branch ORDER BY ${hasFinished} DESC) AS branch, LATERAL (
            SELECT FROM transaction WHERE ${ofBranch} ORDER BY started_at DESC LIMIT ${most}
          ) AS listed LIMIT ${most}`,
        values,
      }),
      all: { sql: `SELECT FROM transaction WHERE ${condition}`, values },
    },
  }
}
