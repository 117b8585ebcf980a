import type { QueryClient } from '../database/pool.ts'
import type { Envelope } from '../state/event-types.ts'
import type { Clock } from '../time/clock.ts'

/** `body` is the exact text to send, where the notation of numbers matters. */
export interface NewEvent {
  readonly id: string
  readonly envelope: Envelope
  readonly body?: string
}

/**
 * `emit` queues an envelope for every active endpoint that wants its type (§6), or for `onlyTo` if that endpoint does. One
 * `eventId` is queued once, however often it is called. The answer is the number of deliveries.
 */
export function emit(
  database: QueryClient,
  clock: Clock,
  eventId: string,
  envelope: Envelope,
  body = JSON.stringify(envelope),
  onlyTo?: string,
): Promise<number> {
  return emitAll(database, clock, [{ id: eventId, envelope, body }], onlyTo)
}

/** `emitAll` queues many events of one moment in one statement. They may be delivered in any order. */
export async function emitAll(
  database: QueryClient,
  clock: Clock,
  events: readonly NewEvent[],
  onlyTo?: string,
): Promise<number> {
  const { rows } = await database.query<{ deliveries: number }>({
    name: 'emit',
    text: EMIT,
    values: [
      events.map(({ id }) => id),
      events.map(({ envelope }) => envelope.type),
      events.map(({ envelope }) => envelope.subType),
      events.map(({ envelope, body }) => body ?? JSON.stringify(envelope)),
      clock.now(),
      onlyTo ?? null,
    ],
  })
  return rows[0]?.deliveries ?? 0
}

/**
 * One statement stores deliveries and one job per endpoint, so neither exists without the other. An endpoint being deleted
 * is waited for and left out. A delivery's id follows from its event's and endpoint's ids, and so from the seed.
 */
const EMIT = `
  WITH active AS (
    SELECT uuid, subscribed_events FROM webhook_endpoint
    WHERE status = 'active' AND ($6::uuid IS NULL OR uuid = $6) FOR KEY SHARE
  ), new_event AS (
    INSERT INTO event (id, type, sub_type, body, created_at)
    SELECT id, type, sub_type, body, $5 FROM unnest($1::uuid[], $2::text[], $3::text[], $4::text[])
      AS given (id, type, sub_type, body)
    ON CONFLICT (id) DO NOTHING RETURNING id, type
  ), new_delivery AS (
    INSERT INTO delivery (id, event_id, endpoint_uuid, state, due_at, created_at)
    SELECT overlay(overlay(substr(encode(sha256(convert_to(new_event.id::text || active.uuid, 'UTF8')), 'hex'), 1, 32)
      PLACING '4' FROM 13) PLACING '8' FROM 17)::uuid, new_event.id, active.uuid, 'waiting', $5, $5
    FROM new_event JOIN active ON subscribed_events IS NULL OR type = ANY (subscribed_events)
    RETURNING endpoint_uuid
  ), job AS (
    SELECT add_job('deliver', json_build_object('endpoint', endpoint_uuid), max_attempts := 100)
    FROM (SELECT DISTINCT endpoint_uuid FROM new_delivery) AS endpoint
  )
  SELECT (SELECT count(*) FROM new_delivery)::int AS deliveries, (SELECT count(*) FROM job)`
