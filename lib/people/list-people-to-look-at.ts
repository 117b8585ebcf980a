import 'server-only'
import { type Caller, requirePermission } from '#lib/access/caller.ts'
import { parseSubjectId } from '#lib/deliveries/rules/subject.ts'
import { mayKnowLook } from '#lib/operations/rules/may-know-look.ts'
import { pool } from '#lib/platform/db/pool.ts'
import { countUpTo, pageOf, pageSize, type Total } from '#lib/platform/paging/paging.ts'
import { isLowerCaseUuid } from '#lib/platform/rules/ids.ts'
import type { StandingRow } from '#lib/timeline/tables/standing.ts'
import { type PersonRow, type PersonView, personColumns, toPersonView } from './person-view.ts'
import { isLastLook, needsLook, personLooks, typesOfLooks } from './standings/standing-looks.ts'
import { cursorOf, matchingQuery, pageQuery } from './standings/standing-queries.ts'
import { type StandingView, standingColumns, toStandingView, withDoubts } from './standings/standings.ts'

/** Somebody of whom something was said lately that needs a look. */
export interface PersonToLookAt {
  readonly subjectId: string
  /** As events name them. */
  readonly id: string
  /** Null for whom the directory does not have. */
  readonly person: PersonView | null
  /** What needs the look, the latest first. */
  readonly said: readonly StandingView[]
  /** When the latest of it was said; ISO 8601, a time of receipt. */
  readonly lastMoveAt: string
}

export interface PeopleToLookAtPage {
  /** Those of whom something was said last first. */
  readonly rows: readonly PersonToLookAt[]
  readonly next: string | null
  readonly total: Total
}

export interface PeopleToLookAtFilters {
  /** `next` of a page. */
  readonly cursor?: string | undefined
  /** 1 to 200, 50 by default. */
  readonly limit?: number | undefined
}

/** The people whom the navigation counts for this role, each once. Throws `NotAllowed` and `CursorRefused`. */
export async function listPeopleToLookAt(
  caller: Caller,
  { cursor, limit: asked }: PeopleToLookAtFilters = {},
): Promise<PeopleToLookAtPage> {
  requirePermission(caller, 'see-everything')
  const limit = pageSize(asked)
  const looks = personLooks.filter((kind) => mayKnowLook(caller.role, kind))
  const filters = { types: typesOfLooks(looks), looks, cursor }
  const { sql, values } = pageQuery(filters, limit + 1, isLastLook(looks))
  const [{ rows }, total] = await Promise.all([
    pool().query<StandingRow>(sql, values),
    countUpTo((most) => matchingQuery(filters, most, isLastLook(looks))),
  ])
  const { listed, next } = pageOf(rows, limit, cursorOf)
  const subjects = listed.map(({ subject_id }) => subject_id)
  const ids = new Map(subjects.map((subject) => [subject, parseSubjectId(subject)?.id ?? subject]))
  const [said, people] = await Promise.all([
    pool().query<StandingRow>(
      `SELECT ${standingColumns} FROM standing WHERE subject_id = ANY($1) AND ${needsLook('standing', looks)}
       ORDER BY last_move_at DESC, type DESC`,
      [subjects],
    ),
    pool().query<PersonRow>(`SELECT ${personColumns} FROM person WHERE user_uuid = ANY($1::uuid[])`, [
      [...ids.values()].filter((id) => isLowerCaseUuid(id)),
    ]),
  ])
  const views = await withDoubts(said.rows.map((row) => toStandingView(caller.role, row)))
  const bySubject = Map.groupBy(views, ({ subjectId }) => subjectId)
  const byUuid = new Map(people.rows.map((row) => [row.user_uuid, toPersonView(row, caller.role)]))
  return {
    rows: listed.map(({ subject_id, last_move_at }) => {
      const id = ids.get(subject_id) ?? subject_id
      return {
        subjectId: subject_id,
        id,
        person: byUuid.get(id) ?? null,
        said: bySubject.get(subject_id) ?? [],
        lastMoveAt: last_move_at.toISOString(),
      }
    }),
    next,
    total,
  }
}
