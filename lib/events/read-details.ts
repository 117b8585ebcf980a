import 'server-only'
import { pool } from '#lib/db/pool.ts'
import { emailsOf } from './emails-of.ts'
import { type EventRecord, eventColumns, toEventRow } from './event-record.ts'
import type { DeliveryRow, EventDetails } from './event-row.ts'

/** The whole timeline of a subject, in order, or one event of it. Whoever calls has checked that it may be seen. */
export async function readDetails(subjectId: string, eventId: string | null = null): Promise<EventDetails[]> {
  const [events, deliveries] = await Promise.all([
    pool().query<EventRecord & { position: number; rank: number | null; body: Buffer | null }>(
      `SELECT ${eventColumns}, position, rank, event_body(id, envelope) AS body FROM event
       WHERE subject_id = $1 AND ($2::uuid IS NULL OR id = $2) ORDER BY position`,
      [subjectId, eventId],
    ),
    pool().query<DeliveryRecord>(DELIVERIES, [subjectId, eventId]),
  ])
  const emails = await emailsOf(events.rows.map((row) => row.entity_uuid))
  const received = Map.groupBy(deliveries.rows, (row) => row.event_id)
  return events.rows.map((row) => ({
    ...toEventRow(row, emails),
    position: row.position,
    rank: row.rank,
    body: row.body?.toString('utf8') ?? '',
    received: (received.get(row.id) ?? []).map(toDeliveryRow),
  }))
}

interface DeliveryRecord {
  readonly delivery_id: string
  readonly event_id: string
  readonly received_at: Date
  readonly receiver_id: string
  readonly endpoint_uuid: string | null
  readonly answer: DeliveryRow['answer']
  readonly reason: DeliveryRow['reason']
}

const toDeliveryRow = (row: DeliveryRecord): DeliveryRow => ({
  id: row.delivery_id,
  receivedAt: row.received_at.toISOString(),
  receiverId: row.receiver_id,
  endpointUuid: row.endpoint_uuid,
  answer: row.answer,
  reason: row.reason,
})

const DELIVERIES = `
  SELECT d.delivery_id, d.event_id, d.received_at, d.receiver_id, r.endpoint_uuid, d.answer, d.reason
  FROM event_delivery d LEFT JOIN receiver r ON r.id = d.receiver_id
  WHERE d.subject_id = $1 AND ($2::uuid IS NULL OR d.event_id = $2)
  ORDER BY d.seq`
