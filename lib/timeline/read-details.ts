import 'server-only'
import type { Role } from '#lib/access/rules/roles.ts'
import { bodyVisibility, showBody } from '#lib/access/rules/show-event.ts'
import { showRecord } from '#lib/access/rules/show-record.ts'
import { emailsOf } from '#lib/identity/users/emails-of.ts'
import { pool } from '#lib/platform/db/pool.ts'
import {
  type DeliveryView,
  type EventDetailsView,
  eventColumns,
  type ListedEventRow,
  toEventView,
} from './event-view.ts'
import type { EventRow } from './tables/event.ts'
import type { EventDeliveryRow } from './tables/event-delivery.ts'
import { fromStoredReason } from './tables/stored-reason.ts'

/** All events of a subject in order, the last of them, or one, as this role may see them. The caller has checked access. */
export async function readDetails(
  role: Role,
  subjectId: string,
  {
    eventId = null,
    newest = null,
  }: { readonly eventId?: string | null; readonly newest?: number | null } = {},
): Promise<EventDetailsView[]> {
  const [events, deliveries] = await Promise.all([
    pool().query<DetailsRow>(
      `SELECT ${eventColumns}, position, rank, event_body(id, envelope) AS body, body_left_at FROM event
       WHERE subject_id = $1 AND ($2::uuid IS NULL OR id = $2) ORDER BY position DESC LIMIT $3`,
      [subjectId, eventId, newest],
    ),
    pool().query<DeliveryRow>(DELIVERIES, [subjectId, eventId]),
  ])
  const emails = await emailsOf(events.rows.map((row) => row.entity_uuid))
  const received = Map.groupBy(deliveries.rows, (row) => row.event_id)
  return events.rows.toReversed().map((row) => ({
    ...toEventView(role, row, emails),
    ...showRecord(role, 'event', { position: row.position, rank: row.rank }),
    body: row.body && showBody(role, row.body.toString('utf8')),
    wholeBody: bodyLeftOf(row) === null ? bodyVisibility(role, row.type) : 'hidden',
    bodyLeft: bodyLeftOf(row),
    received: (received.get(row.id) ?? []).map((delivery) => toDeliveryView(role, delivery)),
  }))
}

interface DetailsRow extends ListedEventRow, Pick<EventRow, 'position' | 'rank'> {
  readonly body: Buffer | null
  readonly body_left_at: Date | null
}

function bodyLeftOf({ body, body_left_at }: DetailsRow): EventDetailsView['bodyLeft'] {
  if (body === null) return 'lost'
  if (body_left_at === null) return null
  return body.length === 0 ? 'lost' : 'shortened'
}

interface DeliveryRow
  extends Pick<EventDeliveryRow, 'delivery_id' | 'event_id' | 'received_at' | 'answer' | 'reason'> {
  readonly endpoint_uuid: string | null
  readonly endpoint_name: string | null
}

const toDeliveryView = (role: Role, row: DeliveryRow): DeliveryView =>
  showRecord(role, 'delivery', {
    id: row.delivery_id,
    receivedAt: row.received_at.toISOString(),
    endpointUuid: row.endpoint_uuid,
    endpointName: row.endpoint_name,
    answer: row.answer,
    reason: fromStoredReason(row.reason),
  })

const DELIVERIES = `
  SELECT d.delivery_id, d.event_id, d.received_at, endpoint_uuid, watched.name AS endpoint_name, d.answer, d.reason
  FROM event_delivery d LEFT JOIN receiver r ON r.id = d.receiver_id
  LEFT JOIN watched_endpoint AS watched USING (endpoint_uuid)
  WHERE d.subject_id = $1 AND ($2::uuid IS NULL OR d.event_id = $2)
  ORDER BY d.seq`
