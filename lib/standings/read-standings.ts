import 'server-only'
import { pool } from '#lib/db/pool.ts'
import { eventRules } from '#lib/domain/access/event-fields.ts'
import type { Role } from '#lib/domain/access/roles.ts'
import { visibilityOf } from '#lib/domain/access/visibility.ts'
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

const OF_ENTITY = `SELECT ${standingColumns} FROM standing WHERE subject_id = $1 ORDER BY last_move_at DESC, type`
