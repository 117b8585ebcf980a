import 'server-only'
import { hasReplica } from '#lib/platform/db/read-pools.ts'
import { upperCase } from '#lib/platform/db/statements.ts'
import { countUpTo, type Total } from '#lib/platform/paging/paging.ts'
import type { Cursor } from '#lib/transactions/list-queries.ts'
import {
  directionConditions,
  type Given,
  parameters,
  rowCondition,
  type StuckRule,
  unionAll,
} from '#lib/transactions/row-condition.ts'
import { isFiltered, type TransactionMatch } from '#lib/transactions/rules/transaction-filters.ts'
import { type FoundByPart, findIds, type QueryFunction } from './find-ids.ts'
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
  readonly byPart: FoundByPart
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
  readonly scannedTo: Date | null
  readonly total: Total | null
}

/**
 * The newest subjects of everybody with one of these ids come first. Ids are only ever added, so results of a
 * replica are valid; if it has none, the primary is asked.
 */
export async function newestOfValues(wanted: WantedIds, page: SubjectPage): Promise<NewestSubjects> {
  const readPage = async (query: QueryFunction) => {
    const named = await Promise.all(wanted.parts.map((part) => findIds(query, part, wanted.byPart)))
    const values = [...new Set([...wanted.whole, ...named.flatMap((each) => each.values)])]
    const asked = [...values, ...wanted.unmarked]
    const { places, scannedTo } = await readPositions(query, asked, page)
    return { values, asked, places, scannedTo, cut: named.some((each) => each.cut) }
  }
  const onReplica = await readPage(searchReplica)
  const found = onReplica.places.length === 0 && hasReplica() ? await readPage(searchQuery) : onReplica
  const [only, another] = found.values
  return { positions: found.places, cut: found.cut, scannedTo: found.scannedTo, total: await count() }

  async function count(): Promise<Total | null> {
    if (!page.after && !found.scannedTo && found.places.length < page.limit) return null
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
  readonly scannedTo: Date | null
}

const readPositions = async (
  query: QueryFunction,
  ids: readonly string[],
  page: SubjectPage,
): Promise<Places> => {
  if (ids.length === 0) return { places: [], scannedTo: null }
  return isFiltered(page.filters)
    ? readFiltered(query, ids, page)
    : { places: await readAll(query, ids, page), scannedTo: null }
}

/**
 * The newest subjects of each id are read by its index and merged. Subjects of one id from the same millisecond
 * come together or not at all, so the order of the index is enough.
 */
async function readAll(query: QueryFunction, ids: readonly string[], page: SubjectPage) {
  const values: unknown[] = [page.limit]
  const given = parameters(values)
  const asked = conditions(page, given)
  const newest = ids.map((id) => `(${newestOfId(given(id), asked)} FETCH FIRST $1 ROWS WITH TIES)`)
  const rows = await query<PositionRow>(
    `SELECT DISTINCT started_at, subject_id FROM (${unionAll(newest)}) AS newest
     ORDER BY started_at DESC, subject_id DESC LIMIT $1`,
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
  const scannedTo = await reachOf(query, ids, page)
  const values: unknown[] = [page.limit]
  const matching = matchingOfIds(ids, page, scannedTo, parameters(values))
  const rows = await query<PositionRow>(
    `SELECT DISTINCT started_at, subject_id FROM (${unionAll(
      matching.map((each) => `(${each} ORDER BY place DESC FETCH FIRST $1 ROWS WITH TIES)`),
    )}) AS newest
     ORDER BY started_at DESC, subject_id DESC LIMIT $1`,
    values,
  )
  return { places: rows.map(toPosition), scannedTo: rows.length < page.limit ? scannedTo : null }
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
  const values: unknown[] = []
  const given = parameters(values)
  const asked = conditions(page, given)
  const places = ids.map(
    (id) => `
      SELECT started_at, row_number() OVER (ORDER BY started_at DESC) AS number
      FROM (${newestOfId(given(id), asked)} LIMIT ${share + 1}) AS read`,
  )
  const [edge] = await query<{ started_at: Date | null }>(
    `WITH newest AS MATERIALIZED (${unionAll(places)}) SELECT max(started_at) AS started_at FROM (
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
  const scannedTo = await reachOf(searchQuery, ids, first)
  const counted = await countUpTo((most) => {
    const values: unknown[] = []
    const matching = unionAll(matchingOfIds(ids, first, scannedTo, parameters(values)))
    return { sql: `SELECT DISTINCT subject_id FROM (${matching}) AS matching LIMIT ${most}`, values }
  })
  return counted.exact && scannedTo ? { ...counted, exact: false, atLeast: true } : counted
}

/** For each id the newest transactions that match, back to the given time. */
function matchingOfIds(
  ids: readonly string[],
  page: SubjectPage,
  scannedTo: Date | null,
  given: Given,
): string[] {
  const within = scannedTo ? ` AND started_at >= ${given(scannedTo)}::timestamptz` : ''
  const asked = `${conditions(page, given)}${within}`
  const matches = rowCondition(page.filters, given, page.stuck)
  return ids.map(
    (id) => `
    SELECT place AS started_at, subject_id FROM (
      SELECT named.started_at AS place, transaction.* FROM (${newestOfId(given(id), asked)}) AS named
      JOIN transaction ON transaction.subject_id = named.subject_id
    ) AS seen WHERE ${matches}`,
  )
}

const newestOfId = (id: string, asked: string) => `
  SELECT started_at, subject_id FROM identifier WHERE identifier.value = ${id} AND ${asked} ORDER BY started_at DESC`

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
    sql: `SELECT subject_id FROM identifier WHERE value = $1 ORDER BY started_at DESC LIMIT ${most}`,
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
  const values: unknown[] = [page.limit]
  const given = parameters(values)
  const span = day && daySpan(day, Date.now())
  const at = (ms: number) => `${given(new Date(ms))}::timestamptz`
  const onDay = span
    ? `started_at < ${at(span.to)} AND last_move_at >= ${at(span.from)} AND started_at >= ${at(span.from - longestCourse)}`
    : 'true'
  const asked = [conditions(page, given), rowCondition(page.filters, given, page.stuck), onDay].join(' AND ')
  const equals = (column: string) => digits.map((amount) => `${column} = ${given(amount)}::numeric`)
  const fiat = () =>
    directionConditions.flatMap(({ sql }) =>
      equals(`COALESCE(amount_fiat, '-Infinity'::numeric)`).map((equal) => `${sql} AND ${equal}`),
    )
  const ofCurrency = (conditions: readonly string[], column: string) => {
    if (currency === null) return conditions
    const name = given(currency)
    return conditions.map((condition) => `${condition} AND ${upperCase(column)} = ${name}`)
  }
  const ways = [
    ...(currency === null || !isOnChain(currency) ? ofCurrency(fiat(), 'currency_fiat') : []),
    ...(currency === null || isOnChain(currency)
      ? ofCurrency(equals('amount_crypto'), 'currency_crypto')
      : []),
    ...equals('amount_refunded'),
  ].map(
    (condition) => `(
      SELECT started_at, subject_id FROM transaction WHERE ${condition} AND ${asked}
      ORDER BY started_at DESC FETCH FIRST $1 ROWS WITH TIES)`,
  )
  const rows = await searchQuery<PositionRow>(
    `SELECT DISTINCT started_at, subject_id FROM (${unionAll(ways)}) AS way
     ORDER BY started_at DESC, subject_id DESC LIMIT $1`,
    values,
  )
  return { positions: rows.map(toPosition), cut: false, scannedTo: null, total: null }
}
