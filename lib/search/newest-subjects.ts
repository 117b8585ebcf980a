import 'server-only'
import { pool } from '#lib/db/pool.ts'
import { hasReplica, queryReplica } from '#lib/db/replica.ts'
import type { Probe } from '#lib/domain/search/probes.ts'
import { isFiltered, type TransactionMatch } from '#lib/domain/transaction/transaction-filters.ts'
import { countUpTo, type Total } from '#lib/paging/count-up-to.ts'
import type { Cursor } from '#lib/transactions/cursor.ts'
import { type Given, parameters, rowCondition, type StuckRule } from '#lib/transactions/row-condition.ts'
import { findIds, type QueryFunction } from './find-ids.ts'

/** What is looked for: ids as they are, and parts of ids. */
export interface WantedIds {
  readonly whole: readonly string[]
  /** Account numbers as rows hold them that were not rebuilt since they are marked. Not counted. */
  readonly unmarked: readonly string[]
  readonly parts: readonly Probe[]
  /** Whether account numbers are found by their parts. */
  readonly accountNumbers: boolean
}

export interface SubjectPage {
  readonly after: Cursor | null
  /** What transactions must be like that are found; with any, nothing else is. */
  readonly filters: TransactionMatch
  /** What is stuck, where that is asked for. */
  readonly stuck: StuckRule | null
  /** Subjects that are not listed. */
  readonly without: readonly string[]
  readonly limit: number
}

/** A subject in the order of their starts. */
export interface SubjectPosition {
  readonly subjectId: string
  readonly startedAt: Date
}

export interface NewestSubjects {
  readonly positions: readonly SubjectPosition[]
  readonly cut: boolean
  readonly total: Total | null
}

/**
 * Everybody's subjects with one of these ids, newest first. Ids are only added, so results of a replica are
 * valid; if the replica has none, the primary is asked.
 */
export async function newestOfValues(wanted: WantedIds, page: SubjectPage): Promise<NewestSubjects> {
  const look = async (query: QueryFunction) => {
    const named = await Promise.all(wanted.parts.map((part) => findIds(query, part, wanted.accountNumbers)))
    const values = [...new Set([...wanted.whole, ...named.flatMap((each) => each.values)])]
    const asked = [...values, ...wanted.unmarked]
    const { places, cut } = await readPositions(query, asked, page)
    return { values, asked, places, cut: cut || named.some((each) => each.cut) }
  }
  const onReplica = await look(queryReplica)
  const found = onReplica.places.length === 0 && hasReplica() ? await look(queryDatabase) : onReplica
  const [only, another] = found.values
  return { positions: found.places, cut: found.cut, total: await count() }

  async function count(): Promise<Total | null> {
    if (!page.after && found.places.length < page.limit) return null
    if (isFiltered(page.filters)) return countFiltered(found.asked, page)
    return only !== undefined && another === undefined ? countOf(only) : null
  }
}

export interface PositionRow {
  readonly subject_id: string
  readonly started_at: Date
}

/** Subjects of all ids together whose transactions are held against the filters. */
const mostFiltered = 5_000

interface Places {
  readonly places: readonly SubjectPosition[]
  /** More subjects carry an id than were held against the filters. */
  readonly cut: boolean
}

const readPositions = async (
  query: QueryFunction,
  ids: readonly string[],
  page: SubjectPage,
): Promise<Places> => {
  if (ids.length === 0) return { places: [], cut: false }
  return isFiltered(page.filters)
    ? readFiltered(query, ids, page)
    : { places: await readAll(query, ids, page), cut: false }
}

/**
 * Reads the newest subjects of each id by its index, then merges them. Subjects of one id from the same
 * millisecond come together or not at all, so that the index order is enough.
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

/** Holds so many of the newest of each id against the filters, one by one. */
async function readFiltered(
  query: QueryFunction,
  ids: readonly string[],
  page: SubjectPage,
): Promise<Places> {
  const looked = Math.ceil(mostFiltered / ids.length)
  const values: unknown[] = [ids, page.limit]
  const given = parameters(values)
  const rows = await query<PositionRow>(
    `SELECT DISTINCT newest.started_at, newest.subject_id FROM unnest($1::text[]) AS id (value), LATERAL (
       SELECT seen.* FROM (${newestOfId(page, given)} LIMIT ${looked}) AS seen, LATERAL (
         SELECT FROM transaction WHERE subject_id = seen.subject_id AND ${rowCondition(page.filters, given, page.stuck)} OFFSET 0
       ) AS matching ORDER BY seen.started_at DESC LIMIT $2) AS newest
     ORDER BY newest.started_at DESC, newest.subject_id DESC LIMIT $2`,
    values,
  )
  if (rows.length >= page.limit) return { places: rows.map(toPosition), cut: false }
  return { places: rows.map(toPosition), cut: await hasMore(query, ids, page, looked) }
}

/** Whether an id has more than so many. */
async function hasMore(query: QueryFunction, ids: readonly string[], page: SubjectPage, looked: number) {
  const values: unknown[] = [ids]
  const beyond = await query<{ subject_id: string }>(
    `SELECT beyond.subject_id FROM unnest($1::text[]) AS id (value), LATERAL (
       ${newestOfId(page, parameters(values))} OFFSET ${looked} LIMIT 1) AS beyond LIMIT 1`,
    values,
  )
  return beyond.length > 0
}

/** Counts on all pages what `readFiltered` finds. */
async function countFiltered(ids: readonly string[], page: SubjectPage): Promise<Total> {
  const first = { ...page, after: null }
  const looked = Math.ceil(mostFiltered / ids.length)
  const counted = await countUpTo((most) => {
    const values: unknown[] = [ids]
    const given = parameters(values)
    const sql = `SELECT DISTINCT matching.subject_id FROM unnest($1::text[]) AS id (value), LATERAL (
      SELECT seen.subject_id FROM (${newestOfId(first, given)} LIMIT ${looked}) AS seen, LATERAL (
        SELECT FROM transaction
        WHERE subject_id = seen.subject_id AND ${rowCondition(page.filters, given, page.stuck)} OFFSET 0
      ) AS one) AS matching LIMIT ${most}`
    return { sql, values }
  })
  const cut = counted.exact && (await hasMore(queryDatabase, ids, first, looked))
  return cut ? { ...counted, exact: false, atLeast: true } : counted
}

const newestOfId = (page: SubjectPage, given: Given) => `
  SELECT started_at, subject_id FROM identifier
  WHERE identifier.value = id.value AND ${conditions(page, given)} ORDER BY started_at DESC`

export function conditions({ after, without }: SubjectPage, given: Given): string {
  const beyond =
    after && `(started_at, subject_id) < (${given(after.values[0])}::timestamptz, ${given(after.subjectId)})`
  const others = without.length > 0 && `subject_id <> ALL(${given(without)})`
  return [beyond, others].filter(Boolean).join(' AND ') || 'true'
}

export const toPosition = ({ subject_id, started_at }: PositionRow): SubjectPosition => ({
  subjectId: subject_id,
  startedAt: started_at,
})

const countOf = (value: string) =>
  countUpTo((most) => ({
    sql: `SELECT FROM identifier WHERE value = $1 ORDER BY started_at DESC LIMIT ${most}`,
    values: [value],
  }))

const queryDatabase: QueryFunction = async (sql, values) => (await pool().query(sql, values)).rows
