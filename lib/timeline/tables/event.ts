import 'server-only'
import type { WhyUnreadable } from '#lib/deliveries/rules/envelope.ts'
import type { SameReason, Span } from '../rules/decide-repeat.ts'
import type { EventFlag } from '../rules/fold.ts'
import {
  bigint,
  defineTable,
  hex,
  int,
  jsonOf,
  type NewRowOf,
  orNull,
  type RowOf,
  smallint,
  text,
  textOf,
  textsOf,
  time,
  uuid,
} from './table.ts'

/** One thing that happened to a subject. Its body stays in the log; where the log dropped it, `envelope` keeps it. */
export const eventTable = defineTable('event', ['subjectId', 'id'], {
  /** `transaction:…`, `bank-account:…`, `entity:…` or `unknown:…`; `parseSubjectId` of the domain reads it. */
  subjectId: text('subject_id'),
  /** uuidv7 of its first delivery. */
  id: uuid('id'),
  /** SHA-256 of the envelope as canonical JSON. */
  fingerprint: hex('fingerprint'),
  /** As it came: one of §2.3, or one we do not know yet. */
  type: orNull(text('type')),
  subType: orNull(text('sub_type')),
  /** `data.status`. */
  status: orNull(text('status')),
  /** The user or corporate entity it concerns. */
  entityUuid: orNull(text('entity_uuid')),
  /** 0 for the first in its subject's timeline. */
  position: int('position'),
  /** 0 to 4, or null when its kind says nothing of progress. */
  rank: orNull(smallint('rank')),
  /** How many deliveries reported it. */
  deliveries: int('deliveries'),
  firstReceivedAt: time('first_received_at'),
  lastReceivedAt: time('last_received_at'),
  /** It happened before this time, by rule; its own time then gives no duration. */
  placedBefore: orNull(time('placed_before')),
  /** Its last delivery that was a retry or said that it happened again: its place where the newest stand first. */
  cameAgainId: orNull(uuid('came_again_id')),
  cameAgainAt: orNull(time('came_again_at')),
  flags: textsOf<EventFlag>()('flags'),
  /** Why its body could not be read as an envelope. */
  unreadable: orNull(textOf<WhyUnreadable>()('unreadable')),
})

export type EventRow = RowOf<typeof eventTable>
export type NewEventRow = NewRowOf<typeof eventTable>

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
  reason: jsonOf<SameReason>()('reason'),
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

/** Every id that a person may paste. The table has no unique index: nobody but the subject's projector writes it. */
export const identifierTable = defineTable('identifier', ['subjectId', 'value'], {
  subjectId: text('subject_id'),
  value: text('value'),
  /** When anything was first received about the subject: what searches go by, newest first. */
  startedAt: time('started_at'),
})

export type NewIdentifierRow = NewRowOf<typeof identifierTable>
