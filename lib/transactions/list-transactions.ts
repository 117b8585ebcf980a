import 'server-only'
import { type Caller, requirePermission } from '#lib/access/caller.ts'
import { countReading } from '#lib/audit/counted-entries.ts'
import { pool } from '#lib/platform/db/pool.ts'
import { poolByIndex } from '#lib/platform/db/read-pools.ts'
import { exactUpTo, pageOf, pageSize, type Total } from '#lib/platform/paging/paging.ts'
import type { TransactionRow } from '#lib/timeline/tables/transaction.ts'
import {
  countMatching,
  countTogether,
  isIndexed,
  type ListedRow,
  pageQuery,
  type ScannedRow,
  scanCountQuery,
  scanQuery,
  scansMany,
  sorts,
  toCursor,
} from './list-queries.ts'
import { isFiltered, partsOf, type TransactionMatch } from './rules/transaction-filters.ts'
import {
  type TransactionFilters,
  type TransactionPage,
  toTransactionViews,
  type WithoutFilter,
} from './transaction-view.ts'
import { readStuckRule } from './usual-times.ts'

/** A page whose filters no index holds scans this many transactions at once, in the order of the list. */
export interface Reach {
  readonly most: number
  /** The scan that finds out which filter hides all matches reads this many. */
  readonly withoutFilter: number
}

const usualReach: Reach = { most: 10_000, withoutFilter: 5_000 }

/** Matching transactions of everybody are listed in the requested order. Throws `NotAllowed` and `CursorRefused`. */
export async function listTransactions(
  caller: Caller,
  filters: TransactionFilters = {},
  reach: Reach = usualReach,
): Promise<TransactionPage> {
  requirePermission(caller, 'see-everything')
  const { userUuid } = filters
  if (userUuid) await countReading(caller, 'read.list', userUuid, userUuid)
  const [page, total] = await Promise.all([readPage(filters, reach), count(filters, reach.most)])
  const { listed, next, scannedTo } = page
  const nothing = listed.length === 0 && filters.cursor === undefined && isFiltered(filters)
  const [rows, withoutFilter] = await Promise.all([
    toTransactionViews(caller.role, listed),
    nothing ? countWithoutEach(filters, reach.withoutFilter) : [],
  ])
  return { rows, next, total, scannedTo, withoutFilter }
}

/** The count is exact up to 1,000, unless not all rows could be scanned. Throws `NotAllowed`. */
export async function countTransactions(caller: Caller, match: TransactionMatch): Promise<Total> {
  requirePermission(caller, 'see-everything')
  return count(match, usualReach.most)
}

/**
 * Matching transactions come newest first, page by page, as the caller's role may see them. A page is read only
 * when it is wanted. Throws `NotAllowed`.
 */
export async function* everyTransaction(caller: Caller, match: TransactionMatch, limit: number) {
  requirePermission(caller, 'see-everything')
  let cursor: string | undefined
  do {
    const { listed, next } = await readPage({ ...match, sort: 'started', cursor }, usualReach, limit)
    yield await toTransactionViews(caller.role, listed)
    cursor = next ?? undefined
  } while (cursor !== undefined)
}

const firstPage = { sort: undefined, cursor: undefined, limit: undefined }

interface Page {
  readonly listed: readonly TransactionRow[]
  readonly next: string | null
  readonly scannedTo: string | null
}

async function readPage(
  filters: TransactionFilters,
  reach: Reach,
  limit = pageSize(filters.limit),
): Promise<Page> {
  const { sort = 'started' } = filters
  const stuck = await readStuckRule(filters)
  if (!scansMany(filters)) {
    const { sql, values } = pageQuery(filters, limit + 1, stuck)
    const { rows } = await pool().query<ListedRow>(sql, values)
    return { ...pageOf(rows, limit, (last) => toCursor(sort, last)), scannedTo: null }
  }
  const { sql, values } = scanQuery(filters, limit + 1, { most: reach.most, stuck })
  const { rows } = await poolByIndex().query<ScannedRow>(sql, values)
  const found = rows.filter(({ matches }) => matches)
  const last = rows.at(-1)
  if (found.length > limit || last?.number !== reach.most)
    return { ...pageOf(found, limit, (end) => toCursor(sort, end)), scannedTo: null }
  const [key] = sorts[sort]
  return { listed: found, next: toCursor(sort, last), scannedTo: key.valueOf(last) }
}

async function count(filters: TransactionFilters, most: number): Promise<Total> {
  // The count is the same on every page and in any order.
  const match: TransactionMatch = { ...filters, ...firstPage }
  const stuck = await readStuckRule(match)
  if (!scansMany(match)) return countMatching(match, stuck)
  const { sql, values } = scanCountQuery(match, exactUpTo + 1, { most, stuck })
  const { rows } = await poolByIndex().query<{ count: number; more: boolean }>(sql, values)
  const { count: counted, more } = rows[0] ?? { count: 0, more: false }
  return toTotal(counted, more)
}

const toTotal = (counted: number, more: boolean): Total =>
  more || counted > exactUpTo
    ? { count: Math.min(counted, exactUpTo), exact: false, atLeast: true }
    : { count: counted, exact: true }

/** The matches without each filter in turn are counted, those that need the same rows in one scan. */
async function countWithoutEach(match: TransactionMatch, most: number): Promise<WithoutFilter[]> {
  const parts = partsOf(match)
  const stuck = await readStuckRule(match)
  const totals = new Map<TransactionMatch, Total>()
  const scanned: TransactionMatch[] = []
  for (const { rest } of parts) {
    if (isIndexed(rest)) totals.set(rest, await countMatching(rest, stuck))
    else scanned.push(rest)
  }
  for (const { matches, query } of countTogether(scanned, { most, stuck })) {
    const { rows } = await poolByIndex().query<CountsRow>(query.sql, query.values)
    for (const [i, rest] of matches.entries())
      totals.set(rest, toTotal(rows[0]?.counts[i] ?? 0, rows[0]?.more ?? false))
  }
  return parts.flatMap(({ part, rest }) => {
    const total = totals.get(rest)
    return total && total.count > 0 ? [{ part, total }] : []
  })
}

interface CountsRow {
  readonly counts: readonly number[]
  readonly more: boolean
}
