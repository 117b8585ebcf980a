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
  const { rows } = await pool().query<{ id: string }>(SPARED, [
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
  return new Set(rows.map(({ id }) => id))
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
const SPARED = `
  SELECT one.id FROM unnest($1::uuid[], $2::uuid[], $3::timestamptz[], $4::timestamptz[], $5::uuid[], $6::uuid[])
    AS one (id, endpoint_uuid, gap_began, gap_ended, first, next)
  JOIN watched_endpoint AS mine USING (endpoint_uuid)
  CROSS JOIN LATERAL (
    SELECT GREATEST(gap_began, $8::timestamptz) AS began, LEAST(gap_ended, $9::timestamptz) AS ended
  ) AS both_lasted
  WHERE ($7::text IS NOT NULL AND NOT ${subscribes('mine')} AND COALESCE(mine.events_changed_at <= gap_began, true))
    OR EXISTS (
      SELECT FROM watched_endpoint AS other JOIN receiver ON receiver.id = other.receiver_id
      WHERE other.receiver_id <> mine.receiver_id AND ${subscribes('other')}
        AND GREATEST(other.events_changed_at, receiver.created_at) <= began
        AND other.last_active_at >= LEAST(ended, now() - interval '5 minutes')
        AND NOT EXISTS (
          SELECT FROM gap
          WHERE about IN ('', other.endpoint_uuid::text, other.receiver_id::text)
            AND kind NOT IN (${[...harmless].map((kind) => `'${kind}'`).join(', ')})
            AND began_at < COALESCE(ended, 'infinity') AND COALESCE(ended_at, 'infinity') > began
            AND outcome IS DISTINCT FROM 'no-gap' AND NOT ${IS_FILLED}
        )
        AND EXISTS (
          SELECT FROM (
            SELECT subject_id, event_id FROM event_delivery
            WHERE delivery_id >= first AND delivery_id < next AND receiver_id = other.receiver_id LIMIT ${maxScanned}
          ) AS taken JOIN event ON event.subject_id = taken.subject_id AND event.id = taken.event_id
          WHERE $7::text IS NULL OR event.type = $7
        )
    )`
