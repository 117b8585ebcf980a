import 'server-only'
import { eventRules } from '#lib/access/rules/events.ts'
import type { Role } from '#lib/access/rules/roles.ts'
import { visibilityOf } from '#lib/access/rules/visibility.ts'
import { subjectId } from '#lib/deliveries/rules/subject.ts'
import { pool } from '#lib/platform/db/pool.ts'
import type { StandingRow } from '#lib/timeline/tables/standing.ts'
import { type StandingView, standingColumns, toStandingView } from './standing-view.ts'

/** What was last said of a person or company itself, by type, newest first. The caller has checked access. */
export async function readStandings(role: Role, entityUuid: string): Promise<readonly StandingView[]> {
  const subject = subjectId({ kind: 'entity', id: entityUuid })
  return (await readStandingsOf(role, [subject])).get(subject) ?? []
}

/** The same of each of these subjects that has any, by subject. The caller has checked access. */
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
