import 'server-only'
import { z } from 'zod'
import { eventRules } from '#lib/access/rules/events.ts'
import type { Role } from '#lib/access/rules/roles.ts'
import { showValue, visibilityOf } from '#lib/access/rules/visibility.ts'
import type { EventType } from '#lib/deliveries/rules/event-types.ts'
import { parseSubjectId, subjectId } from '#lib/deliveries/rules/subject.ts'
import { pool } from '#lib/platform/db/pool.ts'
import { poolByIndex, type Queryable } from '#lib/platform/db/read-pools.ts'
import { textParameter } from '#lib/platform/db/statements.ts'
import { decodeCursor, encodeCursor, PlaceTimeSchema, type SqlQuery } from '#lib/platform/paging/paging.ts'
import { CursorRefused } from '#lib/platform/refusals.ts'
import type { EventFilterFlag, EventFlag } from '#lib/timeline/rules/subject-event.ts'
import { type StandingRow, standingTable } from '#lib/timeline/tables/standing.ts'
import { columnsOf } from '#lib/timeline/tables/table.ts'
import { unionAll } from '#lib/transactions/row-condition.ts'
import { attentionConditions, type StandingAttentionKind } from './standing-attention.ts'

/** `toStandingView` reads these columns of a SELECT. */
export const standingColumns = columnsOf(standingTable)

/**
 * `StandingView` is the status of an account, a person or a company by the events of one type. Times are ISO 8601
 * and times of receipt.
 */
export interface StandingView {
  readonly subjectId: string
  /** The id is the uuid of the account, person or company. */
  readonly id: string
  readonly type: EventType
  /** The state is null when no event gave one, or for roles that may not know it. */
  readonly state: string | null
  /** Other roles see more of this standing. */
  readonly restricted: boolean
  readonly currency: string | null
  readonly entityUuid: string | null
  /** The directory gives the e-mail address of the user whom the standing concerns. */
  readonly userEmail: string | null
  readonly startedAt: string
  readonly lastMoveAt: string
  /** Lists show this doubt, on which the status depends. */
  readonly doubt?: StandingDoubt | null
}

/** An event with this flag may change the status. `came-again`: nobody knows whether it happened again. */
export type StandingDoubt = Exclude<EventFilterFlag, 'conflict'>

/** The view has only what this role may see. */
export function toStandingView(
  role: Role,
  row: StandingRow,
  emails: ReadonlyMap<string, string> = new Map(),
): StandingView {
  const { says } = eventRules(row.type)
  return {
    subjectId: row.subject_id,
    id: parseSubjectId(row.subject_id)?.id ?? row.subject_id,
    type: row.type,
    state: showValue(role, says, row.state),
    restricted: !['plain', 'known'].includes(visibilityOf(role, says)),
    currency: row.currency,
    entityUuid: row.entity_uuid,
    userEmail: showValue(role, 'person', emails.get(row.entity_uuid ?? '') ?? null),
    startedAt: row.started_at.toISOString(),
    lastMoveAt: row.last_move_at.toISOString(),
  }
}

/** The latest standing of each type of a person or company itself comes newest first. The caller has checked access. */
export async function readStandings(role: Role, entityUuid: string): Promise<readonly StandingView[]> {
  const subject = subjectId({ kind: 'entity', id: entityUuid })
  return (await readStandingsOf(role, [subject])).get(subject) ?? []
}

/** Each of these subjects that has standings gets them, by subject. The caller has checked access. */
export async function readStandingsOf(
  role: Role,
  subjectIds: readonly string[],
): Promise<ReadonlyMap<string, readonly StandingView[]>> {
  if (subjectIds.length === 0) return new Map()
  const { rows } = await pool().query<StandingRow>(OF_SUBJECTS, [subjectIds])
  const known = rows.filter(({ type }) => visibilityOf(role, eventRules(type).exists) !== 'hidden')
  return Map.groupBy(
    known.map((row) => toStandingView(role, row)),
    ({ subjectId: id }) => id,
  )
}

const OF_SUBJECTS = `
  SELECT ${standingColumns} FROM standing WHERE subject_id = ANY($1) ORDER BY last_move_at DESC, type`

/** Each standing gets the doubt on which its status depends. Callers with very many use `poolByIndex`. */
export async function withDoubts(
  standings: readonly StandingView[],
  database: Queryable = pool(),
): Promise<StandingView[]> {
  const doubts = await readDoubts(
    standings.map(({ subjectId }) => subjectId),
    database,
  )
  return standings.map((standing) => {
    const { subjectId, type, restricted } = standing
    return restricted ? standing : { ...standing, doubt: doubts.get(doubtKey(subjectId, type)) ?? null }
  })
}

/** Each of these subjects gets what is undecided of it, by `doubtKey`. The caller has checked access. */
export async function readDoubts(
  subjectIds: readonly string[],
  database: Queryable = pool(),
): Promise<ReadonlyMap<string, StandingDoubt>> {
  if (subjectIds.length === 0) return new Map()
  const { rows } = await database.query<DoubtRow>(DOUBTS, [subjectIds])
  return new Map(rows.map((row) => [doubtKey(row.subject_id, row.type ?? ''), doubtOf(row)]))
}

/** A subject may have a standing for each of several types. */
export const doubtKey = (subjectId: string, type: string): string => `${subjectId} ${type}`

interface DoubtRow {
  readonly subject_id: string
  readonly type: string | null
  readonly again: boolean
  readonly flags: readonly EventFlag[]
}

const doubtOf = ({ again, flags }: DoubtRow): StandingDoubt =>
  again ? 'came-again' : (unsure.find((flag) => flags.includes(flag)) ?? 'order-unsure')

const unsure = ['repeat-unsure', 'order-unsure', 'late'] as const satisfies readonly EventFlag[]

/** The page of one subject shows the same doubt: the latest that came again, or else the last other one. */
const DOUBTS = `
  SELECT DISTINCT ON (subject_id, type) subject_id, type, came_again_at IS NOT NULL AS again, flags
  FROM event WHERE subject_id = ANY($1) AND 'decisive' = ANY(flags)
  ORDER BY subject_id, type, again DESC, position DESC`

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
  // Without `attentionKinds` the primary key gives the order; with them there are few rows to sort.
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

/** There is a condition for each type or state: an index holds its rows in the order in which they moved. */
function conditionsOf({ types, state, currency, attentionKinds }: StandingFilters, values: unknown[]) {
  const equals = (column: string, value: string | undefined) =>
    value === undefined ? '' : ` AND standing.${column} = $${values.push(textParameter(value))}`
  const where = equals('state', state) + equals('currency', currency)
  const found = types
    .flatMap((type) =>
      attentionKinds === undefined
        ? [`standing.type = '${type}'`]
        : attentionConditions(type, attentionKinds),
    )
    .map((condition) => condition + where)
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

const PlaceSchema = z.tuple([PlaceTimeSchema, z.string().regex(/^[^\0]{1,300}$/)])

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
