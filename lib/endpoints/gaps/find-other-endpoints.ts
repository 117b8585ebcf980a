import 'server-only'
import { firstUuidv7 } from '#lib/platform/db/partitions.ts'
import { planOnce } from '#lib/platform/db/plan-once.ts'
import { pool } from '#lib/platform/db/pool.ts'
import { exactUpTo, upTo } from '#lib/platform/paging/paging.ts'

/** Another endpoint that delivered here while one had a gap. */
export interface OtherEndpoint {
  readonly uuid: string
  readonly name: string
  /** In that time, counted up to 1,000. */
  readonly deliveries: number
  readonly exact: boolean
  /**
   * Whether this endpoint was sent everything the other one missed, as far as known (§6): same subscriptions
   * throughout, and no gap of its own in which anything is still missing. Not proof: a change elsewhere between two
   * rounds is not seen.
   */
  readonly isFullSubstitute: boolean
  /** Whether it had gaps of its own in that time. */
  readonly hadGap: boolean
}

interface Gap {
  readonly id: string
  readonly endpoint_uuid: string | null
  readonly began_at: Date
  readonly ended_at: Date | null
}

/** Which other endpoints delivered here in each of these gaps, by the gap's id. */
export async function findOtherEndpoints(gaps: readonly Gap[]): Promise<Map<string, OtherEndpoint[]>> {
  const ofOne = gaps.filter(({ endpoint_uuid }) => endpoint_uuid !== null)
  if (ofOne.length === 0) return new Map()
  const { rows } = await pool().query<Omit<OtherEndpoint, 'exact'> & { gap_id: string }>({
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

/** No delivery is from later than this many milliseconds from now, whatever the clocks of those who stored it say. */
const mostAhead = 24 * 3_600_000

/**
 * The first id of a delivery in each gap, the first one after it, and both of all gaps together: known before the statement
 * runs, these spare PostgreSQL the plans for all other months.
 */
function idsOf(gaps: readonly Gap[]) {
  const first = gaps.map(({ began_at }) => firstUuidv7(began_at.getTime()))
  const next = gaps.map(({ ended_at }) => firstUuidv7((ended_at?.getTime() ?? Date.now() + mostAhead) + 1))
  return [first, next, first.toSorted()[0], next.toSorted().at(-1)] as const
}

/**
 * A gap of one endpoint whose deliveries came later. What was found before it ended says nothing of the rest, that nothing was
 * missing may rest on the very gap that asks, and one that is about all endpoints hit both alike.
 */
export const IS_FILLED = `(about <> '' AND COALESCE(outcome = 'recovered' AND closed_at >= ended_at, false))`

/** Exported for the test of its plan. */
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
