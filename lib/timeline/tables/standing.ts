import 'server-only'
import type { EventType } from '#lib/deliveries/rules/event-types.ts'
import { defineTable, type NewRowOf, orNull, type RowOf, text, textOf, time, uuid } from './table.ts'

/** Where each account, person and company stands by the events of each type that speaks of it. Times are times of receipt. */
export const standingTable = defineTable('standing', ['subjectId', 'type'], {
  subjectId: text('subject_id'),
  type: textOf<EventType>()('type'),
  /** The state of the event that decides: `data.status`, or the name of what happened. */
  state: orNull(text('state')),
  eventId: uuid('event_id'),
  /** Of a bank account. */
  currency: orNull(text('currency')),
  /** The user or corporate entity it concerns. */
  entityUuid: orNull(text('entity_uuid')),
  startedAt: time('started_at'),
  lastMoveAt: time('last_move_at'),
})

export type StandingRow = RowOf<typeof standingTable>
export type NewStandingRow = NewRowOf<typeof standingTable>

/** SQL within a query that has `asked (type)`: the states that came with that type, at most 100, one descent of an index for each. */
export const statesOfAskedType = `
  WITH RECURSIVE known (state) AS (
    (SELECT state FROM standing WHERE standing.type = asked.type AND state IS NOT NULL ORDER BY state LIMIT 1)
    UNION ALL
    SELECT next.state FROM known, LATERAL (
      SELECT state FROM standing WHERE standing.type = asked.type AND state > known.state ORDER BY state LIMIT 1
    ) AS next
  ) SELECT state FROM known LIMIT 100`
