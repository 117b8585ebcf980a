import 'server-only'
import type { DeliveryFact } from '#lib/domain/fold.ts'
import { evidenceKept, type KeptEvidence } from './kept-evidence.ts'

/** What a row of `event_delivery` keeps of a delivery: all but its fingerprint, which its event has. */
export interface KeptFact extends KeptEvidence {
  readonly subject_id: string
  readonly delivery_id: string
  readonly event_id: string
  readonly seq: bigint
  readonly received_at: Date
  readonly receiver_id: string
  readonly answer: 'sure' | 'unsure'
}

export const factKept = (row: KeptFact, fingerprint: string): DeliveryFact => ({
  id: row.delivery_id,
  order: row.seq,
  receivedAt: row.received_at.getTime(),
  receiver: row.receiver_id,
  fingerprint,
  answer: row.answer,
  ...evidenceKept(row),
})
