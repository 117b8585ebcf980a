import 'server-only'
import { eventRules } from '#lib/access/rules/events.ts'
import type { Role } from '#lib/access/rules/roles.ts'
import { showValue, visibilityOf } from '#lib/access/rules/visibility.ts'
import type { EventType } from '#lib/deliveries/rules/event-types.ts'
import { parseSubjectId, subjectId } from '#lib/deliveries/rules/subject.ts'
import { pool } from '#lib/platform/db/pool.ts'
import type { Queryable } from '#lib/platform/db/read-pools.ts'
import type { EventFilterFlag, EventFlag } from '#lib/timeline/rules/subject-event.ts'
import { type StandingRow, standingTable } from '#lib/timeline/tables/standing.ts'
import { columnsOf } from '#lib/timeline/tables/table.ts'

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
