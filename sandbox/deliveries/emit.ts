import type { QueryClient } from '../database/transaction.ts'
import type { Envelope } from '../state/event-types.ts'
import type { Clock } from '../time/clock.ts'

/** `body` is the text that is sent, where it matters how numbers are written. */
export interface NewEvent {
  id: string
  envelope: Envelope
  body?: string
}

/**
 * Queues an envelope for every active endpoint that wants its type (§6), or for `onlyTo` if that one does. With the
 * same `eventId` it happens once, however often it is called. Answers the number of deliveries.
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

/** The same for many events of one moment, at the price of one. They may be delivered in any order. */
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
 * Deliveries and the job that will attempt them, one per endpoint, are stored in one statement: neither exists without
 * the other. An endpoint that is being deleted meanwhile is waited for and left out, rather than sent to in vain.
 */
const EMIT = `
  with active as (
    select uuid, subscribed_events from webhook_endpoint
    where status = 'active' and ($6::uuid is null or uuid = $6) for key share
  ), new_event as (
    insert into event (id, type, sub_type, body, created_at)
    select id, type, sub_type, body, $5 from unnest($1::uuid[], $2::text[], $3::text[], $4::text[])
      as given (id, type, sub_type, body)
    on conflict (id) do nothing returning id, type
  ), new_delivery as (
    insert into delivery (id, event_id, endpoint_uuid, state, due_at, created_at)
    select gen_random_uuid(), new_event.id, active.uuid, 'waiting', $5, $5
    from new_event join active on subscribed_events is null or type = any (subscribed_events)
    returning endpoint_uuid
  ), job as (
    select graphile_worker.add_job('deliver', json_build_object('endpoint', endpoint_uuid), max_attempts := 100)
    from (select distinct endpoint_uuid from new_delivery) as endpoint
  )
  select (select count(*) from new_delivery)::int as deliveries, (select count(*) from job)`
