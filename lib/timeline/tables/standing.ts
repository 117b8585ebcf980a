import 'server-only'
import type { EventType } from '#lib/deliveries/rules/event-types.ts'
import { defineTable, type NewRowOf, orNull, type RowOf, text, textOf, time, uuid } from './table.ts'

/** Each account, person and company has a status for each type of event about it. Times are times of receipt. */
export const standingTable = defineTable('standing', ['subjectId', 'type'], {
  subjectId: text('subject_id'),
  type: textOf<EventType>()('type'),
  /** The state of the deciding event is its `data.status`, or the name of what happened. */
  state: orNull(text('state')),
  eventId: uuid('event_id'),
  /** Only bank accounts have a currency. */
  currency: orNull(text('currency')),
  /** The status concerns this user or corporate entity. */
  entityUuid: orNull(text('entity_uuid')),
  startedAt: time('started_at'),
  lastMoveAt: time('last_move_at'),
})

export type StandingRow = RowOf<typeof standingTable>
export type NewStandingRow = NewRowOf<typeof standingTable>
