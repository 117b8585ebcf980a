import 'server-only'
import type pg from 'pg'
import type { EndpointHere } from './endpoint-evidence.ts'

/**
 * Keeps up which receivers get which types since when: what began between two looks began no earlier than the first,
 * what ended ended no later than the second. A receiver of whose beginning nothing is known had an endpoint before.
 */
export async function noteReceiving(
  client: pg.PoolClient,
  active: readonly Pick<EndpointHere, 'receiverId' | 'subscribedEvents'>[],
  now: number,
): Promise<void> {
  const seen = active.map(({ receiverId, subscribedEvents }) => ({
    receiver_id: receiverId,
    events: subscribedEvents?.toSorted() ?? ['*'],
  }))
  await client.query(NOTE, [JSON.stringify(seen), new Date(now)])
}

/** What a new endpoint gets is seen at the first look. */
const isFirstLook =
  '(latest.ended_at IS NULL AND latest.looked_at = latest.began_at AND seen.events IS NOT NULL)'

const NOTE = `
  WITH seen AS (
    SELECT receiver_id, array_agg(DISTINCT one ORDER BY one) AS events
    FROM json_to_recordset($1::json) AS s (receiver_id uuid, events text[]), unnest(events) AS one GROUP BY receiver_id
  ), latest AS (
    SELECT DISTINCT ON (receiver_id) receiver_id, began_at, ended_at, events, looked_at
    FROM receiver_period ORDER BY receiver_id, began_at DESC
  ), looked AS (
    UPDATE receiver_period p SET looked_at = $2,
      events = CASE WHEN ${isFirstLook} THEN seen.events ELSE p.events END,
      ended_at = CASE WHEN p.ended_at IS NULL AND seen.events IS DISTINCT FROM p.events AND NOT ${isFirstLook} THEN $2 ELSE p.ended_at END
    FROM latest LEFT JOIN seen USING (receiver_id)
    WHERE p.receiver_id = latest.receiver_id AND p.began_at = latest.began_at
  )
  INSERT INTO receiver_period (receiver_id, began_at, events, looked_at)
  SELECT receiver_id, coalesce(latest.looked_at, '-infinity'), seen.events, $2
  FROM seen LEFT JOIN latest USING (receiver_id)
  WHERE latest.receiver_id IS NULL OR latest.ended_at IS NOT NULL
     OR (latest.events <> seen.events AND latest.looked_at > latest.began_at)
  ON CONFLICT DO NOTHING`
