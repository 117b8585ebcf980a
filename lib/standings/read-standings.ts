import 'server-only'
import { pool } from '#lib/db/pool.ts'
import { eventRules } from '#lib/domain/access/event-fields.ts'
import type { Role } from '#lib/domain/access/roles.ts'
import { visibilityOf } from '#lib/domain/access/visibility.ts'
import type { EventType } from '#lib/domain/delivery/event-types.ts'
import { subjectId } from '#lib/domain/delivery/subject.ts'
import type { StandingRow } from '#lib/tables/standing.ts'
import { type StandingView, standingColumns, toStandingView } from './standing-view.ts'

/** What was last said of a person or company itself, by type, newest first. The caller has checked access. */
export async function readStandings(role: Role, entityUuid: string): Promise<StandingView[]> {
  const { rows } = await pool().query<StandingRow>(OF_ENTITY, [subjectId({ kind: 'entity', id: entityUuid })])
  return rows
    .filter(({ type }) => visibilityOf(role, eventRules(type).exists) !== 'hidden')
    .map((row) => toStandingView(role, row))
}

/** What the events of one type last said of each of these subjects, by subject. The caller has checked access. */
export async function readStandingsOfType(
  role: Role,
  type: EventType,
  subjectIds: readonly string[],
): Promise<ReadonlyMap<string, StandingView>> {
  if (subjectIds.length === 0 || visibilityOf(role, eventRules(type).exists) === 'hidden') return new Map()
  const { rows } = await pool().query<StandingRow>(OF_TYPE, [subjectIds, type])
  return new Map(rows.map((row) => [row.subject_id, toStandingView(role, row)]))
}

const OF_TYPE = `SELECT ${standingColumns} FROM standing WHERE subject_id = ANY($1) AND type = $2`

const OF_ENTITY = `SELECT ${standingColumns} FROM standing WHERE subject_id = $1 ORDER BY last_move_at DESC, type`
