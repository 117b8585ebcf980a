import 'server-only'
import type { SqlQuery } from '#lib/platform/paging/count-up-to.ts'
import type { TransactionRow } from '#lib/timeline/tables/transaction.ts'
import { branches, ofBranch } from './branches.ts'
import { orderOf } from './list-queries.ts'
import { branchCondition, indexBounds, parameters, rowCondition, type StuckRule } from './row-condition.ts'
import type { TransactionMatch } from './rules/transaction-filters.ts'
import type { SortKey } from './sorts.ts'
import type { TransactionFilters } from './transaction-view.ts'

/** A row that matches, if any, and the place at which the page stopped looking, if it did. */
export type SiftedRow = (TransactionRow | { readonly subject_id: null }) & {
  readonly edge_id: string | null
  /** What the list is ordered by there; some orders have a second. */
  readonly edge_0: Date | string | null
  readonly edge_1?: Date | string | null
}

/** How many are gone through, and what is stuck. */
export interface Sieve {
  /** Of the branch that has most; of the others those that are as new. */
  readonly looked: number
  readonly stuck: StuckRule | null
}

/**
 * A page of a list of all users by filters that no index holds: the next rows of all branches are gone through. What lies
 * beyond those is left to the next page, so that no row is passed over. Decision 0076.
 * @param limit rows at most
 */
export function siftedPage(filters: TransactionFilters, limit: number, { looked, stuck }: Sieve): SqlQuery {
  const values: unknown[] = []
  const given = parameters(values)
  const { sort = 'started' } = filters
  const ofBranches = branchCondition(filters, given)
  const matches = rowCondition(filters, given, stuck)
  const { first, columns, order, beyond } = orderOf(filters, given)
  const within = [ofBranch, ...indexBounds[sort](filters, given).filter(Boolean), beyond].join(' AND ')
  const keys = columns.slice(0, -1)
  const edges = keys.map((_, i) => `edge_${i}`)
  const edgeOrder = [...edges, 'edge_id'].map((column) => `${column} DESC`).join(', ')
  return {
    sql: `
      WITH RECURSIVE ${branches}, branch AS MATERIALIZED (SELECT * FROM found WHERE ${ofBranches}),
      ${horizonOf(first, within, order, looked - 1)},
      matching AS MATERIALIZED (
        SELECT branch.direction AS of_direction, branch.step AS of_step, listed.* FROM branch, LATERAL (
          SELECT * FROM (
            SELECT * FROM transaction WHERE ${within} AND ${first.by} >= (SELECT value FROM horizon) ${order} LIMIT ${looked}
          ) AS newest WHERE ${matches} ${order} LIMIT ${limit}
        ) AS listed
      ),
      lowest AS MATERIALIZED (
        SELECT GREATEST(
          (SELECT ${first.by} FROM matching ${order} OFFSET ${limit - 1} LIMIT 1), (SELECT value FROM horizon)
        ) AS value
      ),
      edge AS MATERIALIZED (
        SELECT last.* FROM branch, LATERAL (
          SELECT ${keys.map((key, i) => `${key} AS edge_${i}`).join(', ')}, subject_id AS edge_id
          FROM transaction WHERE ${within} AND ${first.by} >= (SELECT value FROM lowest)
          ${order} OFFSET ${looked - 1} LIMIT 1
        ) AS last
        WHERE (
          SELECT count(*) FROM matching WHERE of_direction = branch.direction AND of_step = branch.step
        ) < ${limit}
        ORDER BY ${edgeOrder} LIMIT 1
      )
      SELECT matching.*, edge.* FROM (VALUES (1)) AS one (n) LEFT JOIN edge ON true
      LEFT JOIN matching ON edge_id IS NULL OR (${columns.join(', ')}) >= (${edges.join(', ')}, edge_id)
      ${order} LIMIT ${limit}`,
    values,
  }
}

/** Counts what matches among the newest, no further than `most`; `more` says that there are others, which were not looked at. */
export function siftedCount(match: TransactionMatch, most: number, { looked, stuck }: Sieve): SqlQuery {
  const values: unknown[] = []
  const given = parameters(values)
  const ofBranches = branchCondition(match, given)
  const matches = rowCondition(match, given, stuck)
  const { first, order } = orderOf({}, given)
  const within = [ofBranch, ...indexBounds.started(match, given).filter(Boolean)].join(' AND ')
  const newest = `transaction WHERE ${within} AND ${first.by} >= (SELECT value FROM horizon) ${order}`
  return {
    sql: `
      WITH RECURSIVE ${branches}, branch AS MATERIALIZED (SELECT * FROM found WHERE ${ofBranches}),
      ${horizonOf(first, within, order, looked)},
      counted AS MATERIALIZED (
        SELECT count(*)::int AS count FROM (
          SELECT FROM branch, LATERAL (
            SELECT FROM (SELECT * FROM ${newest} LIMIT ${looked}) AS newest WHERE ${matches} LIMIT ${most}
          ) AS listed LIMIT ${most}
        ) AS listed
      )
      SELECT count, count < ${most} AND ((SELECT value FROM horizon) > '-infinity' OR EXISTS (
        SELECT FROM branch, LATERAL (SELECT FROM ${newest} OFFSET ${looked} LIMIT 1) AS further
      )) AS more FROM counted`,
    values,
  }
}

/** The branch that has most is told by so many rows. */
const probed = 100

/**
 * Down to where all branches are gone through: to the row of this number in the branch that has most, so that few are read of
 * all others. Everything, where that branch has no more.
 */
const horizonOf = ({ by, type }: SortKey, within: string, order: string, row: number) => `
  densest AS MATERIALIZED (
    SELECT branch.* FROM branch, LATERAL (
      SELECT ${by} AS value FROM transaction WHERE ${within} ${order} OFFSET ${Math.min(probed, row)} LIMIT 1
    ) AS probe ORDER BY probe.value DESC LIMIT 1
  ),
  horizon AS MATERIALIZED (
    SELECT COALESCE((
      SELECT last.value FROM densest AS branch, LATERAL (
        SELECT ${by} AS value FROM transaction WHERE ${within} ${order} OFFSET ${row} LIMIT 1
      ) AS last
    ), '-infinity'::${type}) AS value
  )`
