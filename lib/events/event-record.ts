import 'server-only'
import { parseSubjectId } from '#lib/domain/subject.ts'
import type { EventRow } from './event-row.ts'

/** A row of `event` without its body, as the queries here select it. */
export interface EventRecord {
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
  readonly flags: EventRow['flags']
  readonly unreadable: EventRow['unreadable']
}

export const eventColumns =
  'subject_id, id, type, sub_type, status, entity_uuid, first_received_at, last_received_at, deliveries, placed_before, flags, unreadable'

export function toEventRow(record: EventRecord, emails: ReadonlyMap<string, string>): EventRow {
  const subject = parseSubjectId(record.subject_id)
  return {
    id: record.id,
    subjectId: record.subject_id,
    transactionUuid: subject?.kind === 'transaction' ? subject.id : null,
    type: record.type,
    subType: record.sub_type,
    status: record.status,
    entityUuid: record.entity_uuid,
    userEmail: emails.get(record.entity_uuid ?? '') ?? null,
    firstReceivedAt: record.first_received_at.toISOString(),
    lastReceivedAt: record.last_received_at.toISOString(),
    deliveries: record.deliveries,
    placedBefore: record.placed_before?.toISOString() ?? null,
    flags: record.flags,
    unreadable: record.unreadable,
  }
}
