import 'server-only'
import type { WhyUnreadable } from '#lib/deliveries/rules/envelope.ts'
import type { EventFlag } from '../rules/fold.ts'
import { hex, int, orNull, smallint, text, textOf, textsOf, time, uuid } from './column.ts'
import { defineTable, type NewRowOf, type RowOf } from './table.ts'

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
