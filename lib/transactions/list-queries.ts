import 'server-only'
import { z } from 'zod'
import { pool } from '#lib/platform/db/pool.ts'
import {
  countUpTo,
  decodeCursor,
  encodeCursor,
  exactUpTo,
  PlaceTimeSchema,
  type SqlQuery,
  type Total,
} from '#lib/platform/paging/paging.ts'
import { CursorRefused } from '#lib/platform/refusals.ts'
import type { TransactionRow } from '#lib/timeline/tables/transaction.ts'
import {
  directionConditions,
  type Given,
  indexBounds,
  parameters,
  rowCondition,
  type StuckRule,
  unionAll,
} from './row-condition.ts'
import { movingSteps } from './rules/is-stuck.ts'
import {
  isFiltered,
  stepOfReason,
  type TransactionMatch,
  type TransactionSort,
} from './rules/transaction-filters.ts'
import type { TransactionFilters } from './transaction-view.ts'

/** The index of the list holds some filters; the others are checked for each row. */
interface Plan {
  /** Each condition selects rows that one index holds in the order of the list. Together they are all wanted rows. */
  readonly conditions: (given: Given) => string[]
  /** No index holds these filters. */
  readonly rest: TransactionMatch
  /** True when the conditions select so many rows that a page must not read all of them to find matches. */
  readonly many: boolean
}

function planOf(match: TransactionMatch): Plan {
  const { userUuid, direction, step, reason, flags = [] } = match
  if (userUuid !== undefined)
    return {
      conditions: (given) => [rowCondition({ userUuid }, given)],
      rest: { ...match, userUuid: undefined },
      many: false,
    }
  if (flags.includes('conflict'))
    return {
      conditions: () => [`'conflict' = ANY(flags)`],
      rest: { ...match, flags: flags.filter((flag) => flag !== 'conflict') },
      many: false,
    }
  const steps = step !== undefined ? [step] : stepsImplied(reason, flags.includes('stuck'))
  const rest = { ...match, direction: undefined, step: undefined }
  return {
    conditions: (given) => {
      const ofSteps = steps?.map((one) => rowCondition({ step: one }, given))
      return directionConditions
        .filter(({ name }) => direction === undefined || name === direction)
        .flatMap(({ sql }) => ofSteps?.map((ofStep) => `${sql} AND ${ofStep}`) ?? sql)
    },
    rest,
    many: isFiltered(rest),
  }
}

/** A reason may belong to one step, and only some steps can be stuck; null when any step is possible. */
function stepsImplied(reason: string | undefined, stuck: boolean): readonly string[] | null {
  const ofReason = reason === undefined ? null : stepOfReason(reason)
  if (ofReason !== null) return [ofReason]
  return stuck ? movingSteps : null
}

/** A list with `many` rows scans only so many of them at once. */
export const scansMany = (match: TransactionMatch): boolean => planOf(match).many

/** Every filter is held by an index when nothing is left to check. */
export const isIndexed = (match: TransactionMatch): boolean => !isFiltered(planOf(match).rest)

/** The list has this order, and continues after its cursor. */
interface Order {
  /** The columns that each part of the list selects. */
  readonly columns: string
  readonly by: string
  readonly beyond: string
}

function orderOf({ sort = 'started', cursor }: TransactionFilters, given: Given): Order {
  const keys: readonly SortKey[] = sorts[sort]
  const columns = [...keys.map(({ by }) => by), 'subject_id']
  const named = keys.flatMap(({ by, as }) => (as === undefined ? [] : `${by} AS ${as}`))
  const names = [...keys.map(({ by, as }) => as ?? by), 'subject_id']
  const types = [...keys.map(({ type }) => type), 'text']
  const after = cursor === undefined ? null : parseCursor(sort, cursor)
  const place = after ? [...after.values, after.subjectId] : []
  const bounds = place.map((value, i) => `${given(value)}::${types[i]}`)
  return {
    columns: ['*', ...named].join(', '),
    by: names.map((name) => `${name} DESC`).join(', '),
    beyond: after ? `(${columns.join(', ')}) < (${bounds.join(', ')})` : 'true',
  }
}

/** The next `limit` rows of each index condition, in the order of the list. */
function nextRows(filters: TransactionFilters, given: Given, limit: number, order: Order, matches = 'true') {
  const bounds = indexBounds[filters.sort ?? 'started'](filters, given).filter(Boolean)
  const within = [...bounds, order.beyond, matches].join(' AND ')
  const of = planOf(filters).conditions(given)
  return unionAll(
    of.map(
      (condition) =>
        `(SELECT ${order.columns} FROM transaction WHERE ${condition} AND ${within} ORDER BY ${order.by} LIMIT ${limit})`,
    ),
  )
}

/** The query finds the next `limit` rows of a list that may read every row that its index condition selects. */
export function pageQuery(
  filters: TransactionFilters,
  limit: number,
  stuck: StuckRule | null = null,
): SqlQuery {
  const values: unknown[] = []
  const given = parameters(values)
  const order = orderOf(filters, given)
  const matches = rowCondition(planOf(filters).rest, given, stuck)
  return {
    sql: `
      SELECT * FROM (${nextRows(filters, given, limit, order, matches)}) AS listed
      ORDER BY ${order.by} LIMIT ${limit}`,
    values,
  }
}

/** A list in the order of amounts has the amount that it is ordered by, too. */
export type ListedRow = TransactionRow & { readonly listed_amount?: string }

/** `number` counts the scanned rows from 1. The last one of a scan comes whether it matches or not. */
export type ScannedRow = ListedRow & { readonly matches: boolean; readonly number: number }

/** A scan reads `most` rows, in the order of the list. */
interface Scan {
  readonly most: number
  readonly stuck: StuckRule | null
}

/**
 * The query reads rows in the order of an index until `limit` of them match. When it has read `most` rows it stops,
 * and the last of these tells where the next page begins. Decision 0143.
 */
export function scanQuery(filters: TransactionFilters, limit: number, { most, stuck }: Scan): SqlQuery {
  const values: unknown[] = []
  const given = parameters(values)
  const order = orderOf(filters, given)
  const matches = rowCondition(planOf(filters).rest, given, stuck)
  return {
    sql: `
      SELECT * FROM (
        SELECT candidate.*, (${matches}) IS TRUE AS matches, row_number() OVER (ORDER BY ${order.by})::int AS number
        FROM (${nextRows(filters, given, most, order)}) AS candidate ORDER BY ${order.by} LIMIT ${most}
      ) AS scanned WHERE matches OR number = ${most} ORDER BY ${order.by} LIMIT ${limit}`,
    values,
  }
}

/** The count covers the newest `most` rows and stops at `limit`; `more` says that further rows were not scanned. */
export function scanCountQuery(match: TransactionMatch, limit: number, { most, stuck }: Scan): SqlQuery {
  const scan = scanQuery(match, limit, { most: most + 1, stuck })
  return {
    sql: `
      SELECT (count(*) FILTER (WHERE matches AND number <= ${most}))::int AS count,
        COALESCE(bool_or(number > ${most}), false) AS more FROM (${scan.sql}) AS scanned`,
    values: scan.values,
  }
}

interface CountedTogether {
  readonly matches: readonly TransactionMatch[]
  /** The result has `counts`, one for each match, and `more` when further rows were not scanned. */
  readonly query: SqlQuery
}

/** The matches that need the same rows are counted in one scan of the newest `most` of these rows. */
export function countTogether(matches: readonly TransactionMatch[], scan: Scan): CountedTogether[] {
  const byRows = Map.groupBy(matches, (match) => {
    const values: unknown[] = []
    const given = parameters(values)
    return JSON.stringify([nextRows(match, given, scan.most + 1, orderOf({}, given)), values])
  })
  return [...byRows.values()].map((together) => ({ matches: together, query: countsQuery(together, scan) }))
}

function countsQuery(matches: readonly TransactionMatch[], { most, stuck }: Scan): SqlQuery {
  const values: unknown[] = []
  const given = parameters(values)
  const order = orderOf({}, given)
  const rows = nextRows(matches[0] ?? {}, given, most + 1, order)
  const counts = matches.map((match) => {
    const condition = rowCondition(planOf(match).rest, given, stuck)
    return `(count(*) FILTER (WHERE number <= ${most} AND ${condition}))::int`
  })
  return {
    sql: `
      SELECT ARRAY[${counts.join(', ')}] AS counts, COALESCE(bool_or(number > ${most}), false) AS more FROM (
        SELECT candidate.*, row_number() OVER (ORDER BY ${order.by})::int AS number
        FROM (${rows}) AS candidate ORDER BY ${order.by} LIMIT ${most + 1}
      ) AS scanned`,
    values,
  }
}

/** The count is exact up to 1,000. The planner estimates a larger one where an index holds every filter. */
export async function countMatching(match: TransactionMatch, stuck: StuckRule | null): Promise<Total> {
  const total = await countUpTo((most) => countQuery(match, most, stuck))
  if (total.exact) return total
  const count = isIndexed(match) ? await estimate(match, stuck) : null
  return count === null ? total : { count: Math.max(toTwoDigits(count), exactUpTo), exact: false }
}

/** The rows are read in the order of an index, which is enough to count them. */
function countQuery(match: TransactionMatch, most: number, stuck: StuckRule | null): SqlQuery {
  const values: unknown[] = []
  const given = parameters(values)
  const { conditions, rest } = planOf(match)
  const matches = rowCondition(rest, given, stuck)
  const of = conditions(given).map(
    (condition) =>
      `(SELECT subject_id FROM transaction WHERE ${condition} AND ${matches} ORDER BY started_at DESC LIMIT ${most})`,
  )
  return { sql: `SELECT subject_id FROM (${unionAll(of)}) AS counted LIMIT ${most}`, values }
}

/** The planner's estimate costs the same at any size. It is null when the rows are on other servers. */
async function estimate(match: TransactionMatch, stuck: StuckRule | null): Promise<number | null> {
  const values: unknown[] = []
  const condition = rowCondition(match, parameters(values), stuck)
  const { rows } = await pool().query<{ 'QUERY PLAN': unknown }>(
    `EXPLAIN (FORMAT JSON) SELECT subject_id FROM transaction WHERE ${condition}`,
    values,
  )
  const [{ Plan: plan }] = PlanSchema.parse(rows[0]?.['QUERY PLAN'])
  return plan['Node Type'] === 'Custom Scan' ? null : plan['Plan Rows']
}

/** The estimate is rounded to two digits, because it is no more exact. */
const toTwoDigits = (count: number) => Number(count.toPrecision(2))

const PlanSchema = z.tuple([
  z.object({ Plan: z.object({ 'Node Type': z.string(), 'Plan Rows': z.number() }) }),
])

/** A list is always sorted in descending order by this key. The subject's id decides between equal values. */
interface SortKey {
  /** The expression matches the index of the order. */
  readonly by: string
  /** The query selects an expression that is no column under this name: only so PostgreSQL can merge parts in its order. */
  readonly as?: string
  readonly type: 'timestamptz' | 'numeric'
  readonly valueOf: (row: TransactionRow) => string
  /** The schema accepts every result of `valueOf`. */
  readonly value: z.ZodType<string>
}

const started: SortKey = {
  by: 'started_at',
  type: 'timestamptz',
  valueOf: (row) => row.started_at.toISOString(),
  value: PlaceTimeSchema,
}

const moved: SortKey = {
  by: 'last_move_at',
  type: 'timestamptz',
  valueOf: (row) => row.last_move_at.toISOString(),
  value: PlaceTimeSchema,
}

/** A missing amount sorts below any amount. Amounts are compared as numbers, whatever their currency. */
const amount: SortKey = {
  by: `COALESCE(amount_fiat, '-Infinity'::numeric)`,
  as: 'listed_amount',
  type: 'numeric',
  valueOf: (row) => row.amount_fiat ?? '-Infinity',
  value: z.string().regex(/^(-?\d+(\.\d+)?|-Infinity)$/),
}

/** Few transactions share a time; many have no amount, so the newest of these come first. */
export const sorts = {
  started: [started],
  moved: [moved],
  amount: [amount, started],
} as const satisfies Record<TransactionSort, readonly [SortKey, ...SortKey[]]>

/** A cursor holds the sort values of the last row of a page. */
export interface Cursor {
  readonly values: readonly string[]
  readonly subjectId: string
}

export const toCursor = (sort: TransactionSort, last: TransactionRow): string =>
  cursorAt(sort, { values: sorts[sort].map((key) => key.valueOf(last)), subjectId: last.subject_id })

export const cursorAt = (sort: TransactionSort, { values, subjectId }: Cursor): string =>
  encodeCursor([sort, ...values, subjectId])

/** Throws `CursorRefused` for a text that `cursorAt` did not make, or made for another order. */
export function parseCursor(sort: TransactionSort, text: string): Cursor {
  const parts = decodeCursor(text)
  const [name, values, subjectId] = [parts[0], parts.slice(1, -1), parts.at(-1)]
  const keys: readonly SortKey[] = sorts[sort]
  const fits =
    values.length === keys.length && keys.every(({ value }, i) => value.safeParse(values[i]).success)
  const known = SubjectIdSchema.safeParse(subjectId).data
  if (name !== sort || !fits || known === undefined) throw new CursorRefused()
  return { values, subjectId: known }
}

const SubjectIdSchema = z.string().regex(/^[^\0]{1,300}$/)
