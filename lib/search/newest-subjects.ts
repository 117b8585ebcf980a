import 'server-only'
import { hasReplica } from '#lib/platform/db/read-pools.ts'
import { upperCase } from '#lib/platform/db/sql-text.ts'
import { countUpTo, type Total } from '#lib/platform/paging/paging.ts'
import { branches, ofBranch } from '#lib/transactions/branches.ts'
import { type Given, parameters, rowCondition, type StuckRule } from '#lib/transactions/row-condition.ts'
import { isFiltered, type TransactionMatch } from '#lib/transactions/rules/transaction-filters.ts'
import type { Cursor } from '#lib/transactions/sorts.ts'
import { findIds, type QueryFunction } from './find-ids.ts'
import type { Probe } from './rules/probes.ts'
import { isOnChain, type TypedAmount } from './rules/read-amount.ts'
import { daySpan } from './rules/read-day.ts'
import { searchQuery, searchReplica } from './search-query.ts'

/** The search looks for whole ids and for parts of ids. */
interface WantedIds {
  readonly whole: readonly string[]
  /** Rows that were not rebuilt since account numbers are marked hold these. They are not counted. */
  readonly unmarked: readonly string[]
  readonly parts: readonly Probe[]
  /** A part finds account numbers too when this is true. */
  readonly accountNumbers: boolean
}

interface SubjectPage {
  readonly after: Cursor | null
  /** The transactions must match these filters; with any filter, nothing else is found. */
  readonly filters: TransactionMatch
  /** The rule for stuck transactions is set when the filters need it. */
  readonly stuck: StuckRule | null
  /** These subjects are left out. */
  readonly without: readonly string[]
  readonly limit: number
}

/** The position is in the order of the starts. */
export interface SubjectPosition {
  readonly subjectId: string
  readonly startedAt: Date
}

interface NewestSubjects {
  readonly positions: readonly SubjectPosition[]
  readonly cut: boolean
  /** Subjects that began earlier were not filtered yet; null when all were, or the page is full. */
  readonly lookedTo: Date | null
  readonly total: Total | null
}

/**
 * The newest subjects of everybody with one of these ids come first. Ids are only ever added, so results of a
 * replica are valid; if it has none, the primary is asked.
 */
export async function newestOfValues(wanted: WantedIds, page: SubjectPage): Promise<NewestSubjects> {
  const look = async (query: QueryFunction) => {
    const named = await Promise.all(wanted.parts.map((part) => findIds(query, part, wanted.accountNumbers)))
    const values = [...new Set([...wanted.whole, ...named.flatMap((each) => each.values)])]
    const asked = [...values, ...wanted.unmarked]
    const { places, lookedTo } = await readPositions(query, asked, page)
    return { values, asked, places, lookedTo, cut: named.some((each) => each.cut) }
  }
  const onReplica = await look(searchReplica)
  const found = onReplica.places.length === 0 && hasReplica() ? await look(searchQuery) : onReplica
  const [only, another] = found.values
  return { positions: found.places, cut: found.cut, lookedTo: found.lookedTo, total: await count() }

  async function count(): Promise<Total | null> {
    if (!page.after && !found.lookedTo && found.places.length < page.limit) return null
    if (isFiltered(page.filters)) return countFiltered(found.asked, page)
    return only !== undefined && another === undefined ? countOf(only) : null
  }
}

interface PositionRow {
  readonly subject_id: string
  readonly started_at: Date
}

/** A page filters this many of the newest subjects, over all ids together. */
const mostFiltered = 5_000

/** This many subjects, over all ids together, are read to find the newest. */
const mostMerged = 20_000

interface Places {
  readonly places: readonly SubjectPosition[]
  readonly lookedTo: Date | null
}

const readPositions = async (
  query: QueryFunction,
  ids: readonly string[],
  page: SubjectPage,
): Promise<Places> => {
  if (ids.length === 0) return { places: [], lookedTo: null }
  return isFiltered(page.filters)
    ? readFiltered(query, ids, page)
    : { places: await readAll(query, ids, page), lookedTo: null }
}

/**
 * The newest subjects of each id are read by its index and merged. Subjects of one id from the same millisecond
 * come together or not at all, so the order of the index is enough.
 */
async function readAll(query: QueryFunction, ids: readonly string[], page: SubjectPage) {
  const values: unknown[] = [ids, page.limit]
  const rows = await query<PositionRow>(
    `SELECT DISTINCT newest.started_at, newest.subject_id FROM unnest($1::text[]) AS id (value), LATERAL (
       ${newestOfId(page, parameters(values))} FETCH FIRST $2 ROWS WITH TIES) AS newest
     ORDER BY newest.started_at DESC, newest.subject_id DESC LIMIT $2`,
    values,
  )
  return rows.map(toPosition)
}

/**
 * The newest subjects of all ids are filtered one by one, back to the same time for every id. A match of one id
 * is thus never missed because another id was scanned further back.
 */
async function readFiltered(
  query: QueryFunction,
  ids: readonly string[],
  page: SubjectPage,
): Promise<Places> {
  const lookedTo = await reachOf(query, ids, page)
  const values: unknown[] = [ids, page.limit]
  const given = parameters(values)
  const rows = await query<PositionRow>(
    `SELECT DISTINCT newest.started_at, newest.subject_id FROM unnest($1::text[]) AS id (value), LATERAL (
       ${matchingOfId(page, lookedTo, given)} ORDER BY seen.started_at DESC FETCH FIRST $2 ROWS WITH TIES) AS newest
     ORDER BY newest.started_at DESC, newest.subject_id DESC LIMIT $2`,
    values,
  )
  return { places: rows.map(toPosition), lookedTo: rows.length < page.limit ? lookedTo : null }
}

/**
 * The page can scan back to the first subject beyond the limit of all ids together, or of one id beyond its
 * share. Null when all are scanned.
 */
async function reachOf(
  query: QueryFunction,
  ids: readonly string[],
  page: SubjectPage,
): Promise<Date | null> {
  const share = Math.min(mostFiltered, Math.ceil(mostMerged / ids.length))
  const values: unknown[] = [ids]
  const [edge] = await query<{ started_at: Date | null }>(
    `WITH newest AS MATERIALIZED (
       SELECT place.started_at, place.number FROM unnest($1::text[]) AS id (value), LATERAL (
         SELECT started_at, row_number() OVER (ORDER BY started_at DESC) AS number
         FROM (${newestOfId(page, parameters(values))} LIMIT ${share + 1}) AS read) AS place
     ) SELECT max(started_at) AS started_at FROM (
       (SELECT started_at FROM newest WHERE number = ${share + 1})
       UNION ALL (SELECT started_at FROM newest ORDER BY started_at DESC OFFSET ${mostFiltered} LIMIT 1)
     ) AS beyond`,
    values,
  )
  return edge?.started_at ?? null
}

/** The count covers what a first page can scan. */
async function countFiltered(ids: readonly string[], page: SubjectPage): Promise<Total> {
  const first = { ...page, after: null }
  const lookedTo = await reachOf(searchQuery, ids, first)
  const counted = await countUpTo((most) => {
    const values: unknown[] = [ids]
    const matching = matchingOfId(first, lookedTo, parameters(values))
    const sql = `SELECT DISTINCT matching.subject_id FROM unnest($1::text[]) AS id (value), LATERAL (
      ${matching}) AS matching LIMIT ${most}`
    return { sql, values }
  })
  return counted.exact && lookedTo ? { ...counted, exact: false, atLeast: true } : counted
}

function matchingOfId(page: SubjectPage, lookedTo: Date | null, given: Given): string {
  const within = lookedTo ? `started_at >= ${given(lookedTo)}::timestamptz` : 'true'
  return `
    SELECT seen.started_at, seen.subject_id FROM (${newestOfId(page, given, within)}) AS seen, LATERAL (
      SELECT FROM transaction WHERE subject_id = seen.subject_id AND ${rowCondition(page.filters, given, page.stuck)} OFFSET 0
    ) AS one`
}

const newestOfId = (page: SubjectPage, given: Given, within = 'true') => `
  SELECT started_at, subject_id FROM identifier
  WHERE identifier.value = id.value AND ${conditions(page, given)} AND ${within} ORDER BY started_at DESC`

function conditions({ after, without }: SubjectPage, given: Given): string {
  const beyond =
    after && `(started_at, subject_id) < (${given(after.values[0])}::timestamptz, ${given(after.subjectId)})`
  const others = without.length > 0 && `subject_id <> ALL(${given(without)})`
  return [beyond, others].filter(Boolean).join(' AND ') || 'true'
}

const toPosition = ({ subject_id, started_at }: PositionRow): SubjectPosition => ({
  subjectId: subject_id,
  startedAt: started_at,
})

const countOf = (value: string) =>
  countUpTo((most) => ({
    sql: `SELECT FROM identifier WHERE value = $1 ORDER BY started_at DESC LIMIT ${most}`,
    values: [value],
  }))

/** A transaction that moved on a day began at most this long before it, in milliseconds. */
const longestCourse = 100 * 24 * 60 * 60_000

/**
 * The newest transactions of everybody with exactly this amount come first: in fiat money, in coins, or
 * refunded, each by an index. With a day, they began or moved on it in any time zone.
 */
export async function newestOfAmount(
  { digits, currency, day }: TypedAmount,
  page: SubjectPage,
): Promise<NewestSubjects> {
  const values: unknown[] = [digits, page.limit]
  const given = parameters(values)
  const span = day && daySpan(day, Date.now())
  const at = (ms: number) => `${given(new Date(ms))}::timestamptz`
  const onDay = span
    ? `started_at < ${at(span.to)} AND last_move_at >= ${at(span.from)} AND started_at >= ${at(span.from - longestCourse)}`
    : 'true'
  const within = [conditions(page, given), rowCondition(page.filters, given, page.stuck), onDay].join(' AND ')
  const inCurrency = (column: string) =>
    currency === null ? 'true' : `${upperCase(column)} = ${given(currency)}`
  const first = 'ORDER BY started_at DESC FETCH FIRST $2 ROWS WITH TIES'
  const columns = 'SELECT started_at, subject_id FROM transaction WHERE'
  const branch = `${ofBranch} AND COALESCE(amount_fiat, '-Infinity'::numeric) = amount.digits`
  const way = (from: string, where: string) =>
    `(SELECT listed.* FROM ${from}unnest($1::numeric[]) AS amount (digits), LATERAL (
       ${columns} ${where} AND ${within} ${first}) AS listed)`
  const ways = [
    ...(currency === null || !isOnChain(currency)
      ? [way('found AS branch, ', `${branch} AND ${inCurrency('currency_fiat')}`)]
      : []),
    ...(currency === null || isOnChain(currency)
      ? [way('', `amount_crypto = amount.digits AND ${inCurrency('currency_crypto')}`)]
      : []),
    way('', 'amount_refunded = amount.digits'),
  ]
  const rows = await searchQuery<PositionRow>(
    `WITH RECURSIVE ${branches}
     SELECT DISTINCT started_at, subject_id FROM (${ways.join(' UNION ALL ')}) AS way
     ORDER BY started_at DESC, subject_id DESC LIMIT $2`,
    values,
  )
  return { positions: rows.map(toPosition), cut: false, lookedTo: null, total: null }
}
