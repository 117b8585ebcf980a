import 'server-only'
import { z } from 'zod'
import { pool } from '#lib/platform/db/pool.ts'
import { countUpTo, exactUpTo, type SqlQuery, type Total } from '#lib/platform/paging/paging.ts'
import type { TransactionRow } from '#lib/timeline/tables/transaction.ts'
import { branches, hasFinished, ofBranch } from './branches.ts'
import {
  branchCondition,
  type Given,
  indexBounds,
  parameters,
  rowCondition,
  type StuckRule,
} from './row-condition.ts'
import type { TransactionMatch } from './rules/transaction-filters.ts'
import { parseCursor, type SortKey, sorts } from './sorts.ts'
import type { TransactionFilters } from './transaction-view.ts'

/** `ListQueries` holds the statements of one list of transactions. */
export interface ListQueries {
  /** The page has at most `limit` rows. */
  readonly page: (limit: number) => SqlQuery
  readonly matching: MatchingQueries
}

/** The list has this order, and continues after its cursor. */
function orderOf({ sort = 'started', cursor }: TransactionFilters, given: Given) {
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

interface MatchingQueries {
  /** `first` reads at most `most` matching rows by an index. */
  readonly first: (most: number) => SqlQuery
  /** The planner's estimate is made for `all`, which selects every match. */
  readonly all: SqlQuery
}

/** The count is exact up to 1,000; above that it is the planner's estimate, which costs the same at any size. */
export async function countMatchingTransactions({ first, all }: MatchingQueries): Promise<Total> {
  const counted = await countUpTo(first)
  if (counted.exact) return counted
  return { count: Math.max(toTwoDigits(await estimate(all)), exactUpTo), exact: false }
}

async function estimate({ sql, values }: SqlQuery): Promise<number> {
  const { rows } = await pool().query<{ 'QUERY PLAN': unknown }>(`EXPLAIN (FORMAT JSON) ${sql}`, values)
  return PlanSchema.parse(rows[0]?.['QUERY PLAN'])[0].Plan['Plan Rows']
}

/** The estimate is rounded to two digits, because it is no more exact. */
const toTwoDigits = (count: number) => Number(count.toPrecision(2))

const PlanSchema = z.tuple([z.object({ Plan: z.object({ 'Plan Rows': z.number() }) })])

/** The list uses the index of its order, of its user, or of conflicts. */
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
      // The count is the same in any order, so it uses the order that the index of a user has.
      first: (most) => ({
        sql: `SELECT FROM transaction WHERE ${condition} ORDER BY started_at DESC LIMIT ${most}`,
        values,
      }),
      all: { sql: `SELECT FROM transaction WHERE ${condition}`, values },
    },
  }
}

/** The list of all users, filtered only by direction and step, is merged from its branches. Decision 0032. */
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
    // A transaction that changes its step leaves a dead entry in the index of its old branch. The page is therefore filled
    // from finished branches first; the others are only searched for rows above the last of these.
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

/** The row matches, or is empty; `edge_id` is set when the page stopped scanning. */
export type SiftedRow = (TransactionRow | { readonly subject_id: null }) & {
  readonly edge_id: string | null
  /** The edge has these sort values; some orders have a second one. */
  readonly edge_0: Date | string | null
  readonly edge_1?: Date | null
  readonly of_direction: string | null
  readonly of_step: string | null
}

/** `Sieve` limits the scan and holds the rule for stuck transactions. */
interface Sieve {
  /** The largest branch is scanned for this many rows, the others down to the same sort value. */
  readonly looked: number
  readonly stuck: StuckRule | null
}

/**
 * No index holds these filters, so the next rows of all branches are scanned. Rows after those are left to the
 * next page, so that none is missed. Decision 0076. A page has at most `limit` rows.
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

/** The count covers the newest rows and stops at `most`; `more` says that further rows were not scanned. */
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

/** The largest branch is found by comparing the rows at this position. */
const probed = 100

/**
 * The horizon is the sort value down to which all branches are scanned. It is the value of the given row in the
 * largest branch, so that few rows of the others are read; without such a row everything is scanned.
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
