import 'server-only'
import { z } from 'zod'
import type { EventType } from '#lib/deliveries/rules/event-types.ts'
import { poolByIndex } from '#lib/platform/db/read-pools.ts'
import { textParameter } from '#lib/platform/db/sql-text.ts'
import { decodeCursor, encodeCursor, type SqlQuery } from '#lib/platform/paging/paging.ts'
import { CursorRefused } from '#lib/platform/refusals.ts'
import type { StandingRow } from '#lib/timeline/tables/standing.ts'
import { unionAll } from '#lib/transactions/index-conditions.ts'
import { isAttention, type StandingAttentionKind } from './standing-attention.ts'
import { standingColumns } from './standings.ts'

export interface StandingFilters {
  readonly types: readonly EventType[]
  readonly state?: string | undefined
  readonly currency?: string | undefined
  /** The filter keeps only standings that need attention for one of these kinds. */
  readonly attentionKinds?: readonly StandingAttentionKind[] | undefined
  readonly cursor?: string | undefined
}

/**
 * A page of standings has those that moved last first: the newest of each type by its index, merged. With `attentionKinds`,
 * the newest of each state are merged. `which` restricts the rows, as SQL of `standing`.
 */
export function standingPageQuery(filters: StandingFilters, limit: number, which = 'true'): SqlQuery {
  const { conditions, values } = conditionsOf(filters, [filters.types, limit])
  const place = filters.cursor === undefined ? null : parseCursor(filters.cursor)
  const beyond = place ? beyondOf(values.push(...place)) : ''
  const newest = conditions.map(
    (condition) => `(
      SELECT ${standingColumns} FROM standing WHERE ${condition}${beyond} AND ${which}
      ORDER BY last_move_at DESC, subject_id DESC LIMIT $2)`,
  )
  return {
    sql: `SELECT * FROM (${unionAll(newest)}) AS newest
      WHERE $1::text[] IS NOT NULL ORDER BY last_move_at DESC, subject_id DESC LIMIT $2`,
    values,
  }
}

/**
 * The walk goes in the order of ids, which never changes: it skips no row and meets none twice, whatever moves
 * meanwhile. `after` is the last row before; `which` restricts the rows of a subject, as SQL of `standing`.
 */
function walkQuery(
  filters: StandingFilters,
  after: StandingRow | undefined,
  limit: number,
  which?: string,
): SqlQuery {
  const { conditions, where, values } = conditionsOf(filters, [filters.types, limit])
  const beyond = after ? beyondOfWalk(after, which, values) : ''
  // Without `looks` the primary key gives the order; with them there are few rows to sort.
  const of = filters.attentionKinds ? conditions : [`standing.type = ANY($1)${where}`]
  const listed = of.map(
    (condition) =>
      `SELECT ${standingColumns} FROM standing WHERE ${condition}${beyond} AND ${which ?? 'true'} AND standing.type = ANY($1)`,
  )
  return { sql: `SELECT * FROM (${unionAll(listed)}) AS walked ORDER BY subject_id, type LIMIT $2`, values }
}

/**
 * When one row of each subject is listed, it may be another row by now. The walk therefore goes on after the whole
 * subject.
 */
function beyondOfWalk(
  { subject_id, type }: StandingRow,
  which: string | undefined,
  values: unknown[],
): string {
  const subject = `$${values.push(subject_id)}`
  if (which !== undefined) return ` AND standing.subject_id > ${subject}`
  return ` AND (standing.subject_id, standing.type) > (${subject}, $${values.push(type)})`
}

/** The query gives the first `most` that match. */
export function matchingQuery(filters: StandingFilters, most: number, which = 'true'): SqlQuery {
  const { conditions, values } = conditionsOf(filters, [filters.types])
  const matching = conditions.map(
    (condition) => `(SELECT subject_id FROM standing WHERE ${condition} AND ${which} LIMIT ${most})`,
  )
  return {
    sql: `SELECT subject_id FROM (${unionAll(matching)}) AS matching WHERE $1::text[] IS NOT NULL LIMIT ${most}`,
    values,
  }
}

/** One condition for each type: an index holds its rows in the order in which they moved. */
function conditionsOf({ types, state, currency, attentionKinds }: StandingFilters, values: unknown[]) {
  const equals = (column: string, value: string | undefined) =>
    value === undefined ? '' : ` AND standing.${column} = $${values.push(textParameter(value))}`
  const where = equals('state', state) + equals('currency', currency)
  const found = types.map((type) => {
    const needsAttention = attentionKinds === undefined ? '' : ` AND ${isAttention(type, attentionKinds)}`
    return `standing.type = '${type}'${where}${needsAttention}`
  })
  const conditions = found.length > 0 ? found : ['false']
  return { conditions, where, values }
}

const beyondOf = (last: number) =>
  ` AND (standing.last_move_at, standing.subject_id) < ($${last - 1}::timestamptz, $${last})`

export const cursorOf = ({ last_move_at, subject_id }: StandingRow) =>
  encodeCursor([last_move_at.toISOString(), subject_id])

function parseCursor(text: string): [string, string] {
  const place = PlaceSchema.safeParse(decodeCursor(text)).data
  if (!place) throw new CursorRefused()
  return place
}

const PlaceSchema = z.tuple([z.iso.datetime({ precision: 3 }), z.string().regex(/^[^\0]{1,300}$/)])

const rowsOfPortion = 1_000

/**
 * All standings that match come in portions, in the order of their ids. Each portion is as it is when it is read.
 * `which` restricts the rows, as SQL of `standing`.
 */
export async function* walkStandings(
  filters: StandingFilters,
  which?: string,
): AsyncGenerator<readonly StandingRow[]> {
  for (let last: StandingRow | undefined; ; ) {
    const { sql, values } = walkQuery(filters, last, rowsOfPortion, which)
    const { rows }: { rows: StandingRow[] } = await poolByIndex().query<StandingRow>(sql, values)
    if (rows.length > 0) yield rows
    if (rows.length < rowsOfPortion) return
    last = rows.at(-1)
  }
}
