import 'server-only'
import { type GapRow, SELECT_GAP, toGapViews } from '#lib/endpoints/gaps/gap-row.ts'
import type { GapView } from '#lib/endpoints/gaps/gap-view.ts'
import { gapSeverity } from '#lib/endpoints/rules/gap-severity.ts'
import { pool } from '#lib/platform/db/pool.ts'
import { exactUpTo, upTo } from '#lib/platform/paging/paging.ts'
import type { OpenGap } from '../rules/health.ts'

/** Gaps that are looked at together; more only where others make up for all of these. */
const [lookedFirst, lookedThen] = [5, 50]

interface Candidate {
  readonly gap: GapView
  readonly severity: 'warning' | 'error'
}

/**
 * The worst gap that nobody has closed: one that lasts, or one that is over and left transactions of which nothing was heard
 * since. Null when there is none, or another endpoint brought the same.
 */
export async function readOpenGap(): Promise<OpenGap | null> {
  const candidates = (await readCandidates()).toSorted((a, b) => weight(b) - weight(a))
  if (candidates.length === 0) return null
  const unheard = await countUnheard(candidates.map(({ gap }) => gap))
  const found = candidates.find(({ gap }) => gap.endedAt === null || (unheard.get(gap.id) ?? 0) > 0)
  if (!found) return null
  const { id, kind, beganAt, endedAt } = found.gap
  return { id, kind, severity: found.severity, beganAt, endedAt, open: upTo(unheard.get(id) ?? 0) }
}

/** Gaps that last come first: after one of them that is an error, or after a gap that is over, nothing weighs more. */
async function readCandidates(): Promise<readonly Candidate[]> {
  const found: Candidate[] = []
  let [offset, limit] = [0, lookedFirst]
  for (;;) {
    const { rows } = await pool().query<GapRow>(OPEN, [limit, offset])
    for (const gap of await toGapViews(rows)) {
      const severity = gapSeverity(gap)
      if (severity !== 'info') found.push({ gap, severity })
    }
    const isWorst = found.some(({ gap, severity }) => gap.endedAt !== null || severity === 'error')
    if (isWorst || rows.length < limit) return found
    offset += limit
    limit = lookedThen
  }
}

/** One that lasts weighs more than one that is over, and one in which deliveries are surely missing the most. */
const weight = ({ gap, severity }: Candidate) =>
  (gap.endedAt === null ? 2 : 0) + (severity === 'error' ? 1 : 0)

/** By the gap's id, no further than one beyond what is counted exactly. */
async function countUnheard(gaps: readonly GapView[]): Promise<Map<string, number>> {
  const { rows } = await pool().query<{ id: string; unheard: number }>(UNHEARD, [
    gaps.map(({ id }) => id),
    gaps.map(({ endedAt }) => endedAt),
    exactUpTo + 1,
  ])
  return new Map(rows.map(({ id, unheard }) => [id, unheard]))
}

/** Those about the service are no gaps in deliveries: these were taken as they came. */
const OPEN = `${SELECT_GAP}
  WHERE outcome IS NULL AND kind NOT IN ('key-refused', 'not-seen')
  ORDER BY (ended_at IS NULL) DESC, began_at DESC, gap.id DESC LIMIT $1 OFFSET $2`

const UNHEARD = `
  SELECT id, unheard FROM unnest($1::uuid[], $2::timestamptz[]) AS gap (id, ended_at)
  CROSS JOIN LATERAL (
    SELECT count(*)::int AS unheard FROM (
      SELECT FROM transaction
      WHERE finished_at IS NULL AND started_at <= COALESCE(ended_at, 'infinity') AND last_move_at <= COALESCE(ended_at, 'infinity')
      LIMIT $3
    ) AS open
  ) AS counted`
