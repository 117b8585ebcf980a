import type { Clock } from '../clock.ts'
import type { Database } from '../database/transaction.ts'
import type { Envelope } from '../service/event-types.ts'

/**
 * Queues an envelope for every active endpoint that wants its type (§6). With the same `eventId` it happens once,
 * however often it is called. `body` is the
 * text that is sent, where it matters how numbers are written. Answers the number of deliveries.
 */
export async function emit(
  database: Database,
  clock: Clock,
  eventId: string,
  envelope: Envelope,
  body = JSON.stringify(envelope),
): Promise<number> {
  const { rows } = await database.query<{ deliveries: number }>(EMIT, [
    eventId,
    envelope.type,
    envelope.subType,
    body,
    clock.now(),
  ])
  return rows[0]?.deliveries ?? 0
}

/** A delivery and the job that will attempt it are stored in one statement: neither exists without the other. */
const EMIT = `
  with new_event as (
    insert into event (id, type, sub_type, body, created_at) values ($1, $2, $3, $4, $5)
    on conflict (id) do nothing returning id
  ), new_delivery as (
    insert into delivery (id, event_id, endpoint_uuid, state, due_at, created_at)
    select gen_random_uuid(), new_event.id, w.uuid, 'waiting', $5, $5
    from new_event, webhook_endpoint w
    where w.status = 'active' and (w.subscribed_events is null or $2 = any (w.subscribed_events))
    returning endpoint_uuid
  ), job as (
    select graphile_worker.add_job('deliver', json_build_object('endpoint', endpoint_uuid), max_attempts := 100)
    from new_delivery
  )
  select count(*)::int as deliveries from job`
