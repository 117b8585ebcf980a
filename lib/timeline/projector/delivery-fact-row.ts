import 'server-only'
import type { DeliveryFact } from '../rules/fold.ts'
import type { EventDeliveryRow } from '../tables/event-delivery.ts'
import { fromStoredEvidence } from './stored-evidence.ts'

/** The columns of `event_delivery` that make a fact; the fingerprint is in the event's row. */
export type DeliveryFactRow = Omit<EventDeliveryRow, 'reason'>

export const toDeliveryFact = (row: DeliveryFactRow, fingerprint: string): DeliveryFact => ({
  id: row.delivery_id,
  order: row.seq,
  receivedAt: row.received_at.getTime(),
  receiver: row.receiver_id,
  fingerprint,
  answer: row.answer,
  ...fromStoredEvidence(row),
})
