import 'server-only'
import type pg from 'pg'
import {
  parseRefusalReason,
  type RefusalReason,
  reasonsThatAre,
} from '#lib/deliveries/rules/refusal-reasons.ts'
import { firstUuidv7 } from '#lib/platform/db/partitions.ts'
import { pool } from '#lib/platform/db/pool.ts'
import { planOnce } from '#lib/platform/db/statements.ts'
import { exactUpTo, upTo } from '#lib/platform/paging/paging.ts'
import { retriesOfGap } from '../rules/gap-periods.ts'
import { type GapKind, type GapOutcome, gapOutcomes, gapSeverity, parseGapKind } from '../rules/gaps.ts'

/** `GapView` is a gap for a page. Times are ISO 8601. */
export interface GapView {
  readonly id: string
  readonly kind: GapKind
  /** The gap is about this endpoint; null when it is about every endpoint here, or nothing is known of the endpoint. */
  readonly endpoint: { readonly uuid: string; readonly name: string } | null
  readonly beganAt: string
  /** The end is null while the gap lasts. */
  readonly endedAt: string | null
  readonly note: string | null
  /**
   * Other endpoints delivered here meanwhile; full substitutes come first. The list is empty when the gap is about
   * every endpoint.
   */
  readonly otherEndpoints: readonly OtherEndpoint[]
  /** `refused` counts the deliveries that were refused or deferred in the gap; 0 for other kinds. */
  readonly refused: number
  /**
   * The same deliveries are counted by reason, the most frequent first; `why` is null for a reason of another
   * version.
   */
  readonly reasons: readonly { readonly why: RefusalReason | null; readonly count: number }[]
  /**
   * The service may retry until this time what failed in the gap (§6.8). `given-up`: some deliveries had their last
   * attempt. `cut-off`: an endpoint was disabled before (§6). Null while the gap lasts, and for kinds without
   * attempts.
   */
  readonly retries: { readonly until: string } | 'given-up' | 'cut-off' | null
  /** An admin recorded this outcome; null until then. */
  readonly closed: {
    readonly outcome: GapOutcome
    readonly reason: string
    readonly by: string
    readonly at: string
  } | null
}

/** `OtherEndpoint` delivered here while the first one had a gap. */
interface OtherEndpoint {
  readonly uuid: string
  readonly name: string
  /** The count covers the time of the gap and stops at 1,000. */
  readonly deliveries: number
  readonly exact: boolean
  /**
   * This endpoint was sent everything that the other one missed, as far as known (§6): the same subscriptions all
   * the time, and no gap of its own with anything missing. It is no proof: a change elsewhere between two rounds is
   * not seen.
   */
  readonly isFullSubstitute: boolean
  /** The endpoint had gaps of its own in that time. */
  readonly hadGap: boolean
}

interface Gap {
  readonly id: string
  readonly endpoint_uuid: string | null
  readonly began_at: Date
  readonly ended_at: Date | null
}

/** The result has the other endpoints that delivered here in each of these gaps, by the gap's id. */
async function findOtherEndpoints(
  database: Pick<pg.Pool, 'query'>,
  gaps: readonly Gap[],
): Promise<Map<string, OtherEndpoint[]>> {
  const ofOne = gaps.filter(({ endpoint_uuid }) => endpoint_uuid !== null)
  if (ofOne.length === 0) return new Map()
  const { rows } = await database.query<Omit<OtherEndpoint, 'exact'> & { gap_id: string }>({
    ...OTHERS,
    values: [
      ofOne.map(({ id }) => id),
      ofOne.map(({ endpoint_uuid }) => endpoint_uuid),
      ofOne.map(({ began_at }) => began_at),
      ofOne.map(({ ended_at }) => ended_at),
      exactUpTo + 1,
      ...idsOf(ofOne),
    ],
  })
  const others = rows.map(({ gap_id, deliveries, ...other }) => {
    const { count, exact } = upTo(deliveries)
    return { gap_id, other: { ...other, deliveries: count, exact } }
  })
  return new Map(
    [...Map.groupBy(others, ({ gap_id }) => gap_id)].map(([id, found]) => [
      id,
      found.map(({ other }) => other),
    ]),
  )
}

/** No delivery is stored further ahead than this, in ms, however wrong a clock is. */
const mostAhead = 24 * 3_600_000

/**
 * Each gap has the first id of its deliveries and the first id after it, and the last two values cover all gaps.
 * PostgreSQL knows them before it runs the statement, so it need not plan for other months.
 */
function idsOf(gaps: readonly Gap[]) {
  const first = gaps.map(({ began_at }) => firstUuidv7(began_at.getTime()))
  const next = gaps.map(({ ended_at }) => firstUuidv7((ended_at?.getTime() ?? Date.now() + mostAhead) + 1))
  return [first, next, first.toSorted()[0], next.toSorted().at(-1)] as const
}

/**
 * The condition is true for a gap whose deliveries all arrived later, as an admin found after it ended. The outcome
 * `nothing-missing` does not count: it may rest on the gap that asks. A gap of every endpoint affected both.
 */
export const IS_FILLED = `(about <> '' AND COALESCE(outcome = 'recovered' AND closed_at >= ended_at, false))`

/** The test of its plan needs this export. */
export const OTHERS = planOnce(`
  SELECT one.id AS gap_id, other.endpoint_uuid AS uuid, other.name, deliveries, "isFullSubstitute", "hadGap"
  FROM unnest($1::uuid[], $2::uuid[], $3::timestamptz[], $4::timestamptz[], $6::uuid[], $7::uuid[])
    AS one (id, endpoint_uuid, began, ended, first, next)
  JOIN watched_endpoint AS mine USING (endpoint_uuid)
  JOIN watched_endpoint AS other ON other.receiver_id <> mine.receiver_id
  JOIN receiver ON receiver.id = other.receiver_id
  CROSS JOIN LATERAL (
    SELECT count(*)::int AS deliveries FROM (
      SELECT FROM delivery WHERE receiver_id = other.receiver_id AND delivery.id >= first AND delivery.id < next
        AND delivery.id >= $8 AND delivery.id < $9
      LIMIT $5
    ) AS counted
  ) AS came
  CROSS JOIN LATERAL (
    SELECT count(*) > 0 AS "hadGap", COALESCE(bool_and(${IS_FILLED}), true) AS "isFilled",
      COALESCE(bool_or(began_at <= began AND ended_at >= ended), false) AS "spansAll" FROM gap
    WHERE about IN ('', other.endpoint_uuid::text, other.receiver_id::text)
      AND began_at < COALESCE(ended, 'infinity') AND COALESCE(ended_at, 'infinity') > began
      AND outcome IS DISTINCT FROM 'no-gap'
  ) AS own
  CROSS JOIN LATERAL (
    SELECT COALESCE('*' = ANY(other.events) OR mine.events <@ other.events, false)
      AND GREATEST(other.events_changed_at, mine.events_changed_at, receiver.created_at) <= began
      AND "isFilled" AS "isFullSubstitute"
  ) AS judged
  WHERE deliveries > 0 OR "spansAll" AND "isFullSubstitute"
  ORDER BY "isFullSubstitute" DESC, deliveries DESC, other.name`)

/** `SELECT_GAP` gives such rows. */
export interface GapRow {
  readonly id: string
  readonly kind: string
  readonly endpoint_uuid: string | null
  readonly endpoint_name: string | null
  readonly began_at: Date
  readonly ended_at: Date | null
  readonly note: string | null
  readonly reasons: readonly { readonly why: string; readonly count: number }[] | null
  /** An endpoint with pending retries was disabled at this time after the gap. */
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

/** Each gap comes with its endpoint, the newest of those behind one address. Conditions follow this text. */
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

export interface OpenGapView {
  readonly gap: GapView
  readonly severity: ReturnType<typeof gapSeverity>
}

/** `readOpenGaps` reads the gaps that nobody has closed, those that last first, then the newest, and reads on as it is asked. */
export async function* readOpenGaps(database: Pick<pg.Pool, 'query'> = pool()): AsyncGenerator<OpenGapView> {
  let [offset, limit] = [0, readFirst]
  for (;;) {
    const { rows } = await database.query<GapRow>(OPEN, [limit, offset])
    for (const gap of await toGapViews(rows, database)) yield { gap, severity: gapSeverity(gap) }
    if (rows.length < limit) return
    offset += limit
    limit = readThen
  }
}

/** The first query reads this many gaps. Later ones read more, because most callers stop early. */
const [readFirst, readThen] = [5, 50]

const OPEN = `${SELECT_GAP}
  WHERE outcome IS NULL ORDER BY (ended_at IS NULL) DESC, began_at DESC, gap.id DESC LIMIT $1 OFFSET $2`

export async function toGapViews(
  rows: readonly GapRow[],
  database: Pick<pg.Pool, 'query'> = pool(),
): Promise<GapView[]> {
  const others = await findOtherEndpoints(database, rows)
  return rows.map((row) => ({ ...toSingleGap(row), otherEndpoints: others.get(row.id) ?? [] }))
}

/** One row becomes a gap without the other endpoints. */
export function toSingleGap(row: GapRow): Omit<GapView, 'otherEndpoints'> {
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
