import 'server-only'
import type { Span } from '../rules/decide-repeat.ts'
import { bigint, jsonOf, orNull, smallint, text, textOf, time, uuid } from './column.ts'
import type { StoredReason } from './stored-reason.ts'
import { defineTable, type NewRowOf, type RowOf } from './table.ts'

/** The facts about each delivery that a fold reads: they outlive the log. */
export const eventDeliveryTable = defineTable('event_delivery', ['subjectId', 'id'], {
  subjectId: text('subject_id'),
  id: uuid('delivery_id'),
  eventId: uuid('event_id'),
  order: bigint('seq'),
  receivedAt: time('received_at'),
  receiver: uuid('receiver_id'),
  /** `unsure` when our answer may not have reached the sender. */
  answer: textOf<'sure' | 'unsure'>()('answer'),
  /** Why it was taken for this event. */
  reason: jsonOf<StoredReason>()('reason'),
  /** How many other receivers got its type when it was first folded; null where nothing of then is known. */
  others: orNull(smallint('others')),
  /** The rest of what was known then, where there was anything. */
  evidence: orNull(jsonOf<StoredEvidence>()('evidence')),
})

interface StoredEvidence {
  readonly away?: readonly Span[]
  readonly refused?: readonly number[]
  readonly triedSince?: number
}

export type EventDeliveryRow = RowOf<typeof eventDeliveryTable>
export type NewEventDeliveryRow = NewRowOf<typeof eventDeliveryTable>
