import 'server-only'
import { parseSubjectId } from '#lib/domain/subject.ts'
import type { EventView } from './event-view.ts'

/** A row of `event` without its body, as the queries here select it. */
export interface EventRow {
  readonly subject_id: string
  readonly id: string
  readonly type: string | null
  readonly sub_type: string | null
  readonly status: string | null
  readonly entity_uuid: string | null
  readonly first_received_at: Date
  readonly last_received_at: Date
  readonly deliveries: number
  readonly placed_before: Date | null
  readonly flags: EventView['flags']
  readonly unreadable: EventView['unreadable']
}

export const eventColumns =
  'subject_id, id, type, sub_type, status, entity_uuid, first_received_at, last_received_at, deliveries, placed_before, flags, unreadable'

export function toEventView(row: EventRow, emails: ReadonlyMap<string, string>): EventView {
  const subject = parseSubjectId(row.subject_id)
  return {
    id: row.id,
    subjectId: row.subject_id,
    transactionUuid: subject?.kind === 'transaction' ? subject.id : null,
    type: row.type,
    subType: row.sub_type,
    status: row.status,
    entityUuid: row.entity_uuid,
    userEmail: emails.get(row.entity_uuid ?? '') ?? null,
    firstReceivedAt: row.first_received_at.toISOString(),
    lastReceivedAt: row.last_received_at.toISOString(),
    deliveries: row.deliveries,
    placedBefore: row.placed_before?.toISOString() ?? null,
    flags: row.flags,
    unreadable: row.unreadable,
  }
}
