import 'server-only'
import { pool } from '#lib/platform/db/pool.ts'
import type { Queryable } from '#lib/platform/db/read-pools.ts'
import type { EventFlag } from '#lib/timeline/rules/subject-event.ts'
import type { StandingDoubt, StandingView } from './standing-view.ts'

/** The same with the doubts on which hangs where they stand; of very many by `poolByIndex`. */
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

/** What is undecided of each of these subjects, by `doubtKey`. The caller has checked access. */
export async function readDoubts(
  subjectIds: readonly string[],
  database: Queryable = pool(),
): Promise<ReadonlyMap<string, StandingDoubt>> {
  if (subjectIds.length === 0) return new Map()
  const { rows } = await database.query<DoubtRow>(DOUBTS, [subjectIds])
  return new Map(rows.map((row) => [doubtKey(row.subject_id, row.type ?? ''), doubtOf(row)]))
}

/** A subject may stand by several types of events. */
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

/** As a page of one says it: what came again last, otherwise the last other doubt. */
const DOUBTS = `
  SELECT DISTINCT ON (subject_id, type) subject_id, type, came_again_at IS NOT NULL AS again, flags
  FROM event WHERE subject_id = ANY($1) AND 'decisive' = ANY(flags)
  ORDER BY subject_id, type, again DESC, position DESC`
