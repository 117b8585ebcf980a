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

/** An event happened once to a subject. Its body stays in the log; when the log no longer has it, `envelope` keeps it. */
export const eventTable = defineTable('event', ['subjectId', 'id'], {
  /** The id is `transaction:…`, `bank-account:…`, `entity:…` or `unknown:…`; `parseSubjectId` reads it. */
  subjectId: text('subject_id'),
  /** The id is the uuidv7 of its first delivery. */
  id: uuid('id'),
  /** The fingerprint is the SHA-256 of the envelope as canonical JSON. */
  fingerprint: hex('fingerprint'),
  /** The type is stored as it came: one of §2.3, or an unknown one. */
  type: orNull(text('type')),
  subType: orNull(text('sub_type')),
  /** `data.status`. */
  status: orNull(text('status')),
  /** The event concerns this user or corporate entity. */
  entityUuid: orNull(text('entity_uuid')),
  /** The first event in its subject's timeline has position 0. */
  position: int('position'),
  /** The rank is 0 to 4, or null when this kind of event says nothing about progress. */
  rank: orNull(smallint('rank')),
  /** This many deliveries reported the event. */
  deliveries: int('deliveries'),
  firstReceivedAt: time('first_received_at'),
  lastReceivedAt: time('last_received_at'),
  /** A rule placed the event before this time; its own time then gives no duration. */
  placedBefore: orNull(time('placed_before')),
  /** The last delivery that was a retry or a repetition gives the event's place in lists that show the newest first. */
  cameAgainId: orNull(uuid('came_again_id')),
  cameAgainAt: orNull(time('came_again_at')),
  flags: textsOf<EventFlag>()('flags'),
  /** The body could not be read as an envelope for this reason. */
  unreadable: orNull(textOf<WhyUnreadable>()('unreadable')),
})

export type EventRow = RowOf<typeof eventTable>
export type NewEventRow = NewRowOf<typeof eventTable>

/** The fold reads these facts about each delivery; they outlive the log. */
export const eventDeliveryTable = defineTable('event_delivery', ['subjectId', 'id'], {
  subjectId: text('subject_id'),
  id: uuid('delivery_id'),
  eventId: uuid('event_id'),
  order: bigint('seq'),
  receivedAt: time('received_at'),
  receiver: uuid('receiver_id'),
  /** `unsure` when our answer may not have reached the sender. */
  answer: textOf<'sure' | 'unsure'>()('answer'),
  /** The reason says why the delivery belongs to this event. */
  reason: jsonOf<SameReason>()('reason'),
  /** This many other receivers got its type when it was first folded; null when nothing is known about that time. */
  others: orNull(smallint('others')),
  /** The rest of the evidence of that time is here, if there was any. */
  evidence: orNull(jsonOf<StoredEvidence>()('evidence')),
})

interface StoredEvidence {
  readonly away?: readonly Span[]
  readonly refused?: readonly number[]
  readonly triedSince?: number
}

export type EventDeliveryRow = RowOf<typeof eventDeliveryTable>
export type NewEventDeliveryRow = NewRowOf<typeof eventDeliveryTable>

/** A person may paste any of these ids. The table has no unique index: only the subject's projector writes it. */
export const identifierTable = defineTable('identifier', ['subjectId', 'value'], {
  subjectId: text('subject_id'),
  value: text('value'),
  /** Anything about the subject was first received at this time; searches sort by it, newest first. */
  startedAt: time('started_at'),
})

export type NewIdentifierRow = NewRowOf<typeof identifierTable>
