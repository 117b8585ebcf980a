import 'server-only'
import { pool } from '#lib/db/pool.ts'
import { hasReplica, queryReplica } from '#lib/db/replica.ts'
import type { Probe } from '#lib/domain/search/read-query.ts'
import { countUpTo, type Total } from '#lib/paging/count-up-to.ts'
import type { Cursor } from '#lib/transactions/cursor.ts'
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
    const places = asked.length === 0 ? [] : await readPositions(query, asked, page)
    return { values, places, cut: named.some(({ cut }) => cut) }
  }
  const onReplica = await look(queryReplica)
  const found = onReplica.places.length === 0 && hasReplica() ? await look(queryDatabase) : onReplica
  const [only, another] = found.values
  const counted =
    only !== undefined && another === undefined && (page.after || found.places.length >= page.limit)
  return { positions: found.places, cut: found.cut, total: counted ? await countOf(only) : null }
}

interface PositionRow {
  readonly subject_id: string
  readonly started_at: Date
}

/**
 * Reads the newest subjects of each id by its index, then merges them. Subjects of one id from the same
 * millisecond come together or not at all, so that the index order is enough.
 */
async function readPositions(
  query: QueryFunction,
  ids: readonly string[],
  page: SubjectPage,
): Promise<SubjectPosition[]> {
  const values: unknown[] = [ids, page.limit]
  const given = (value: unknown) => `$${values.push(value)}`
  const rows = await query<PositionRow>(
    `SELECT DISTINCT newest.started_at, newest.subject_id FROM unnest($1::text[]) AS id (value), LATERAL (
       SELECT started_at, subject_id FROM identifier
       WHERE identifier.value = id.value AND ${conditions(page, given)}
       ORDER BY started_at DESC FETCH FIRST $2 ROWS WITH TIES) AS newest
     ORDER BY newest.started_at DESC, newest.subject_id DESC LIMIT $2`,
    values,
  )
  return rows.map(toPosition)
}

function conditions({ after, without }: SubjectPage, given: (value: unknown) => string): string {
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

const queryDatabase: QueryFunction = async (sql, values) => (await pool().query(sql, values)).rows
