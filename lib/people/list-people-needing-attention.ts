import 'server-only'
import { type Caller, requirePermission } from '#lib/access/caller.ts'
import { parseSubjectId } from '#lib/deliveries/rules/subject.ts'
import { mayKnowAttention } from '#lib/operations/rules/attention-kinds.ts'
import { pool } from '#lib/platform/db/pool.ts'
import { countUpTo, pageOf, pageSize, type Total } from '#lib/platform/paging/paging.ts'
import { isLowerCaseUuid } from '#lib/platform/rules/ids.ts'
import type { StandingRow } from '#lib/timeline/tables/standing.ts'
import { type PersonRow, type PersonView, personColumns, toPersonView } from './list-people.ts'
import {
  isLastNeedingAttention,
  needsAttention,
  personAttentionKinds,
  typesOfKinds,
} from './standings/standing-attention.ts'
import {
  cursorOf,
  matchingQuery,
  type StandingView,
  standingColumns,
  standingPageQuery,
  toStandingView,
  withDoubts,
} from './standings/standings.ts'

/** An event said something of this person lately that needs attention. */
export interface PersonNeedingAttention {
  readonly subjectId: string
  /** Events name the person by this id. */
  readonly id: string
  /** The person is null when the directory does not have them. */
  readonly person: PersonView | null
  /** These standings need attention, the latest first. */
  readonly said: readonly StandingView[]
  /** The latest of them was received at this time (ISO 8601). */
  readonly lastMoveAt: string
}

export interface PeopleNeedingAttentionPage {
  /** The people with the latest standings come first. */
  readonly rows: readonly PersonNeedingAttention[]
  readonly next: string | null
  readonly total: Total
}

export interface PeopleNeedingAttentionFilters {
  /** `cursor` is `next` of a page. */
  readonly cursor?: string | undefined
  /** A page has 1 to 200 people, 50 by default. */
  readonly limit?: number | undefined
}

/**
 * The list has the people whom the navigation counts for this role, each once. Throws `NotAllowed` and
 * `CursorRefused`.
 */
export async function listPeopleNeedingAttention(
  caller: Caller,
  { cursor, limit: asked }: PeopleNeedingAttentionFilters = {},
): Promise<PeopleNeedingAttentionPage> {
  requirePermission(caller, 'see-everything')
  const limit = pageSize(asked)
  const attentionKinds = personAttentionKinds.filter((kind) => mayKnowAttention(caller.role, kind))
  const filters = { types: typesOfKinds(attentionKinds), attentionKinds, cursor }
  const { sql, values } = standingPageQuery(filters, limit + 1, isLastNeedingAttention(attentionKinds))
  const [{ rows }, total] = await Promise.all([
    pool().query<StandingRow>(sql, values),
    countUpTo((most) => matchingQuery(filters, most, isLastNeedingAttention(attentionKinds))),
  ])
  const { listed, next } = pageOf(rows, limit, cursorOf)
  const subjects = listed.map(({ subject_id }) => subject_id)
  const ids = new Map(subjects.map((subject) => [subject, parseSubjectId(subject)?.id ?? subject]))
  const [said, people] = await Promise.all([
    pool().query<StandingRow>(
      `SELECT ${standingColumns} FROM standing WHERE subject_id = ANY($1) AND ${needsAttention('standing', attentionKinds)}
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
