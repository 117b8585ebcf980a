import 'server-only'
import { parseRefusalReason, reasonsThatAre } from '#lib/deliveries/rules/refusal-reasons.ts'
import { type GapOutcome, gapOutcomes, parseGapKind } from '../rules/gaps.ts'
import { retriesOfGap } from '../rules/retries-of-gap.ts'
import { findOtherEndpoints } from './find-other-endpoints.ts'
import type { GapView } from './gap-view.ts'

/** A row of `SELECT_GAP`. */
export interface GapRow {
  readonly id: string
  readonly kind: string
  readonly endpoint_uuid: string | null
  readonly endpoint_name: string | null
  readonly began_at: Date
  readonly ended_at: Date | null
  readonly note: string | null
  readonly reasons: readonly { readonly why: string; readonly count: number }[] | null
  /** When an endpoint that was to be sent to again was off after the gap. */
  readonly off_at: Date | null
  readonly outcome: string | null
  readonly reason: string | null
  readonly closed_by: string | null
  readonly closed_at: Date | null
}

const inList = (meaning: 'deferred' | 'none') =>
  reasonsThatAre(meaning)
    .map((reason) => `'${reason}'`)
    .join(', ')

/** Gaps with what is known of their endpoint, the latest of those behind one address; conditions follow. */
export const SELECT_GAP = `
  SELECT gap.id, kind, endpoint_uuid, endpoint_name, began_at, ended_at, note,
         outcome, reason, COALESCE(member.name, closed_by) AS closed_by, closed_at,
         (SELECT json_agg(counted ORDER BY count DESC) FROM (
            SELECT why, sum(count)::int AS count FROM refusal
            WHERE receiver_id = CASE WHEN kind IN ('refused', 'deferred') THEN about::uuid END
              AND why IN (${inList('deferred')}) = (kind = 'deferred') AND why NOT IN (${inList('none')})
              AND last_at >= began_at AND COALESCE(first_at, minute) <= COALESCE(ended_at, 'infinity')
            GROUP BY why
          ) AS counted) AS reasons,
         (SELECT min(off.began_at) FROM gap AS off
          WHERE off.kind IN ('disabled', 'auto-disabled')
            AND (gap.about = '' OR off.about = endpoint_uuid::text)
            AND COALESCE(off.ended_at, 'infinity') > gap.ended_at) AS off_at
  FROM gap
  LEFT JOIN LATERAL (
    SELECT endpoint_uuid, watched_endpoint.name AS endpoint_name FROM watched_endpoint
    WHERE about IN (endpoint_uuid::text, receiver_id::text) ORDER BY last_active_at DESC NULLS LAST LIMIT 1
  ) AS endpoint ON true
  LEFT JOIN member ON closed_by IN (member.user_uuid::text, member.id::text)`

export async function toGapViews(rows: readonly GapRow[]): Promise<GapView[]> {
  const others = await findOtherEndpoints(rows)
  return rows.map((row) => ({ ...toLoneGap(row), otherEndpoints: others.get(row.id) ?? [] }))
}

/** What the row says by itself. */
export function toLoneGap(row: GapRow): Omit<GapView, 'otherEndpoints'> {
  const { endpoint_uuid, endpoint_name, closed_at } = row
  const kind = parseGapKind(row.kind) ?? 'silent'
  const outcome = parseOutcome(row.outcome)
  return {
    id: row.id,
    kind,
    endpoint:
      endpoint_uuid === null || endpoint_name === null ? null : { uuid: endpoint_uuid, name: endpoint_name },
    beganAt: row.began_at.toISOString(),
    endedAt: row.ended_at?.toISOString() ?? null,
    note: row.note,
    refused: (row.reasons ?? []).reduce((sum, { count }) => sum + count, 0),
    reasons: (row.reasons ?? []).map(({ why, count }) => ({ why: parseRefusalReason(why), count })),
    retries:
      (kind === 'down' || kind === 'refused' || kind === 'deferred') && row.ended_at
        ? toRetriesView(row.began_at, row.ended_at, row.off_at)
        : null,
    closed:
      outcome && closed_at
        ? { outcome, reason: row.reason ?? '', by: row.closed_by ?? '', at: closed_at.toISOString() }
        : null,
  }
}

const parseOutcome = (text: string | null): GapOutcome | null =>
  gapOutcomes.find((outcome) => outcome === text) ?? null

function toRetriesView(began: Date, ended: Date, off: Date | null): GapView['retries'] {
  const retries = retriesOfGap(began.getTime(), ended.getTime(), off?.getTime() ?? null)
  return typeof retries === 'string' ? retries : { until: new Date(retries.until).toISOString() }
}
