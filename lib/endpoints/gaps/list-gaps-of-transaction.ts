import 'server-only'
import { type Caller, requirePermission } from '#lib/access/caller.ts'
import { type Direction, usualPath } from '#lib/deliveries/rules/steps.ts'
import { firstUuidv7 } from '#lib/platform/db/partitions.ts'
import { pool } from '#lib/platform/db/pool.ts'
import type { GapKind } from '../rules/gaps.ts'
import { type GapRow, type GapView, IS_FILLED, toGapViews } from './gap-view.ts'
import { listGapRows } from './gaps.ts'

/** These facts of a transaction decide which gaps concern it. Times are ISO 8601. */
interface Lived {
  readonly direction: Direction | null
  readonly startedAt: string
  /** The end is null while the transaction is under way. */
  readonly finishedAt: string | null
  /** These steps have arrived. */
  readonly steps: readonly (string | null)[]
}

/**
 * A step of this transaction may have been lost in these gaps: the transaction was open then, and no other active
 * endpoint brought events of its type. The list is empty once every step of its path has arrived. Throws
 * `NotAllowed`.
 */
export async function listGapsOfTransaction(caller: Caller, lived: Lived): Promise<GapView[]> {
  requirePermission(caller, 'see-endpoint-health')
  const { direction, startedAt, finishedAt, steps } = lived
  if (finishedAt !== null && direction !== null && usualPath[direction].every((step) => steps.includes(step)))
    return []
  const { listed } = await listGapRows({ during: { from: startedAt, until: finishedAt } })
  const losing = listed.filter(({ kind }) => !harmless.has(kind))
  const spared = await readSpared(losing, lived)
  return toGapViews(losing.filter(({ id }) => !spared.has(id)))
}

/**
 * Deliveries still arrived in these gaps. Only the endpoints could not be seen; an endpoint that was off then has
 * its own gap.
 */
const harmless: ReadonlySet<string> = new Set<GapKind>(['key-refused', 'not-seen'])

/** These gaps cost the transaction nothing. A gap of every endpoint is never among them. */
async function readSpared(
  gaps: readonly GapRow[],
  { direction, startedAt, finishedAt }: Lived,
): Promise<Set<string>> {
  const ofOne = gaps.filter(({ endpoint_uuid }) => endpoint_uuid !== null)
  if (ofOne.length === 0) return new Set()
  const { rows } = await pool().query<SparingRow>(SPARING, [
    ofOne.map(({ id }) => id),
    ofOne.map(({ endpoint_uuid }) => endpoint_uuid),
    ofOne.map(({ began_at }) => began_at),
    ofOne.map(({ ended_at }) => ended_at),
    ofOne.map(({ began_at }) => firstUuidv7(began_at.getTime())),
    ofOne.map(({ ended_at }) => firstUuidv7((ended_at?.getTime() ?? Date.now() + mostAhead) + 1)),
    direction,
    startedAt,
    finishedAt,
  ])
  const spared = new Set(rows.filter(({ receiver_id }) => receiver_id === null).map(({ id }) => id))
  const others = rows.filter(({ id }) => !spared.has(id))
  if (others.length === 0) return spared
  const { rows: heard } = await pool().query<{ id: string }>(heardBy(others.length), [
    direction,
    ...others.flatMap(({ id, receiver_id, first, next }) => [id, receiver_id, first, next]),
  ])
  return new Set([...spared, ...heard.map(({ id }) => id)])
}

/** Another endpoint may have brought the events of this gap. Without one, the gap concerns no event of the type. */
interface SparingRow {
  readonly id: string
  readonly receiver_id: string | null
  /** The log has deliveries of the gap from the first id on, before the next one. */
  readonly first: string
  readonly next: string
}

/** No delivery is stored further ahead than this, in ms. */
const mostAhead = 24 * 3_600_000

/** At most this many deliveries of another endpoint are searched for one of the type. */
const maxScanned = 5_000

const subscribes = (endpoint: string) =>
  `COALESCE('*' = ANY(${endpoint}.events) OR $7 = ANY(${endpoint}.events), false)`

/**
 * Both the gap and the transaction lasted from `began` to `ended`. The watcher looks once a minute, so a row says
 * that its endpoint was active until then.
 */
const SPARING = `
  WITH lasted AS MATERIALIZED (
    SELECT one.id, first, next, gap_began, mine.receiver_id, mine.events, mine.events_changed_at,
      GREATEST(gap_began, $8::timestamptz) AS began, LEAST(gap_ended, $9::timestamptz) AS ended
    FROM unnest($1::uuid[], $2::uuid[], $3::timestamptz[], $4::timestamptz[], $5::uuid[], $6::uuid[])
      AS one (id, endpoint_uuid, gap_began, gap_ended, first, next)
    JOIN watched_endpoint AS mine USING (endpoint_uuid)
  )
  SELECT id, NULL AS receiver_id, first, next FROM lasted AS mine
  WHERE $7::text IS NOT NULL AND NOT ${subscribes('mine')} AND COALESCE(mine.events_changed_at <= gap_began, true)
  UNION ALL
  SELECT mine.id, other.receiver_id, first, next FROM lasted AS mine
  JOIN watched_endpoint AS other ON other.receiver_id <> mine.receiver_id AND ${subscribes('other')}
  JOIN receiver ON receiver.id = other.receiver_id
  WHERE GREATEST(other.events_changed_at, receiver.created_at) <= began
    AND other.last_active_at >= LEAST(ended, now() - interval '5 minutes')
    AND NOT EXISTS (
      SELECT FROM gap
      WHERE about IN ('', other.endpoint_uuid::text, other.receiver_id::text)
        AND kind NOT IN (${[...harmless].map((kind) => `'${kind}'`).join(', ')})
        AND began_at < COALESCE(ended, 'infinity') AND COALESCE(ended_at, 'infinity') > began
        AND outcome IS DISTINCT FROM 'no-gap' AND NOT ${IS_FILLED}
    )`

/** Each gap and receiver has a part of its own, because a cluster has no LATERAL with a LIMIT. Decision 0143. */
const heardBy = (gaps: number) =>
  Array.from({ length: gaps }, (_, index) => heardIn(4 * index + 2)).join(' UNION ALL ')

const heardIn = (from: number) => `(
  SELECT $${from}::uuid AS id FROM (
    SELECT subject_id, event_id FROM event_delivery
    WHERE receiver_id = $${from + 1}::uuid AND delivery_id >= $${from + 2}::uuid AND delivery_id < $${from + 3}::uuid
    LIMIT ${maxScanned}
  ) AS taken JOIN event ON event.subject_id = taken.subject_id AND event.id = taken.event_id
  WHERE $1::text IS NULL OR event.type = $1 LIMIT 1)`
