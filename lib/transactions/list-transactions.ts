import 'server-only'
import { type Caller, requirePermission } from '#lib/access/caller.ts'
import { countReading } from '#lib/audit/counted-entries.ts'
import { pool } from '#lib/platform/db/pool.ts'
import { poolByIndex } from '#lib/platform/db/read-pools.ts'
import { countUpTo, exactUpTo, pageOf, pageSize, type Total } from '#lib/platform/paging/paging.ts'
import type { TransactionRow } from '#lib/timeline/tables/transaction.ts'
import {
  countMatchingTransactions,
  type ListQueries,
  mergedList,
  plainList,
  type SiftedRow,
  siftedCount,
  siftedPage,
} from './list-queries.ts'
import type { StuckRule } from './row-condition.ts'
import { isFiltered, partsOf, type TransactionMatch } from './rules/transaction-filters.ts'
import { cursorAt, toCursor } from './sorts.ts'
import {
  type Drop,
  type TransactionFilters,
  type TransactionPage,
  toTransactionViews,
} from './transaction-view.ts'
import { readStuckRule } from './usual-stays.ts'

/**
 * Filters without an index scan this many transactions of one direction and step at once, and the others down to
 * the same time. The first scan is small, which is enough when many rows match.
 */
export interface Reach {
  readonly first: number
  readonly most: number
  /** The scan that finds out which filter hides all matches reads this many. */
  readonly drops: number
}

const usualReach: Reach = { first: 1_000, most: 20_000, drops: 5_000 }

/** Matching transactions of everybody are listed in the requested order. Throws `NotAllowed` and `CursorRefused`. */
export async function listTransactions(
  caller: Caller,
  filters: TransactionFilters = {},
  reach: Reach = usualReach,
): Promise<TransactionPage> {
  requirePermission(caller, 'see-everything')
  const { userUuid } = filters
  if (userUuid) await countReading(caller, 'read.list', userUuid, userUuid)
  const [page, total] = await Promise.all([readPage(filters, reach), countMatching(filters, reach.most)])
  const { listed, next, lookedTo } = page
  const nothing = listed.length === 0 && filters.cursor === undefined && isFiltered(filters)
  const [rows, drops] = await Promise.all([
    toTransactionViews(caller.role, listed),
    nothing ? findDrops(filters, reach.drops) : [],
  ])
  return { rows, next, total, lookedTo, drops }
}

/** The count is exact up to 1,000, unless not all rows could be scanned. Throws `NotAllowed`. */
export async function countTransactions(caller: Caller, match: TransactionMatch): Promise<Total> {
  requirePermission(caller, 'see-everything')
  return countMatching(match, usualReach.most)
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

interface Page {
  readonly listed: readonly TransactionRow[]
  readonly next: string | null
  readonly lookedTo: string | null
}

async function readPage(
  filters: TransactionFilters,
  reach: Reach,
  limit = pageSize(filters.limit),
): Promise<Page> {
  const how = await queriesFor(filters)
  if (how.kind === 'sifted') return readSifted(filters, how.stuck, reach, limit)
  const { sql, values } = how.queries.page(limit + 1)
  const { rows } = await pool().query<TransactionRow>(sql, values)
  return { ...pageOf(rows, limit, (last) => toCursor(filters.sort ?? 'started', last)), lookedTo: null }
}

async function readSifted(
  filters: TransactionFilters,
  stuck: StuckRule | null,
  { first, most }: Reach,
  limit: number,
): Promise<Page> {
  const { sort = 'started' } = filters
  const look = async (looked: number): Promise<Page | null> => {
    const { sql, values } = siftedPage(filters, limit + 1, { looked, stuck })
    const { rows: found } = await poolByIndex().query<SiftedRow>(sql, values)
    const rows = found.filter((row): row is SiftedRow & TransactionRow => row.subject_id !== null)
    const [edge] = found
    if (rows.length > limit || !edge || edge.edge_id === null)
      return { ...pageOf(rows, limit, (last) => toCursor(sort, last)), lookedTo: null }
    if (looked < most) return null
    const place = [edge.edge_0, edge.edge_1].flatMap((value) => value ?? []).map(textOf)
    const next = cursorAt(sort, { values: place, subjectId: edge.edge_id })
    return { listed: rows, next, lookedTo: place[0] ?? null }
  }
  return (await look(Math.min(first, most))) ?? (await look(most)) ?? nothingFound
}

const nothingFound: Page = { listed: [], next: null, lookedTo: null }

const textOf = (value: Date | string) => (value instanceof Date ? value.toISOString() : value)

async function countMatching(match: TransactionMatch, looked: number): Promise<Total> {
  const how = await queriesFor(match)
  if (how.kind === 'sifted') {
    const { sql, values } = siftedCount(match, exactUpTo + 1, { looked, stuck: how.stuck })
    const { rows } = await poolByIndex().query<{ count: number; more: boolean }>(sql, values)
    const { count, more } = rows[0] ?? { count: 0, more: false }
    return more || count > exactUpTo
      ? { count: Math.min(count, exactUpTo), exact: false, atLeast: true }
      : { count, exact: true }
  }
  if (how.kind === 'held') return countMatchingTransactions(how.queries.matching)
  const total = await countUpTo(how.queries.matching.first)
  return total.exact ? total : { ...total, atLeast: true }
}

/** The search is repeated without each filter in turn, and the matches are counted. */
async function findDrops(match: TransactionMatch, looked: number): Promise<Drop[]> {
  const drops: Drop[] = []
  for (const { part, rest } of partsOf(match)) {
    const total = await countMatching(rest, looked)
    if (total.count > 0) drops.push({ part, total })
  }
  return drops
}

type How =
  /** An index holds these filters, so every row that it finds matches. */
  | { readonly kind: 'held'; readonly queries: ListQueries }
  /** The index finds few rows, and only some of them match. */
  | { readonly kind: 'few'; readonly queries: ListQueries }
  | { readonly kind: 'sifted'; readonly stuck: StuckRule | null }

async function queriesFor(filters: TransactionFilters): Promise<How> {
  const { direction, step, userUuid, sort, cursor, flags = [] } = filters
  const stuck = await readStuckRule(filters)
  const sifted = isFiltered({ ...filters, direction: undefined, step: undefined, userUuid: undefined })
  const ofFew = userUuid !== undefined || flags.includes('conflict')
  if (ofFew) return { kind: sifted ? 'few' : 'held', queries: plainList(filters, stuck) }
  if (sifted) return { kind: 'sifted', stuck }
  return { kind: 'held', queries: mergedList({ direction, step, sort, cursor }) }
}
