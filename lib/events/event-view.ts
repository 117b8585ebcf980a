import 'server-only'
import { parseSubjectId } from '#lib/domain/delivery/subject.ts'
import type { SameReason } from '#lib/domain/timeline/decide-repeat.ts'
import { type EventRow, eventTable } from '#lib/tables/event.ts'
import type { EventDeliveryRow } from '#lib/tables/event-delivery.ts'
import { columnsOf, type RowOf, toView, type ViewOf, without } from '#lib/tables/table.ts'

const listed = without(eventTable, 'fingerprint', 'position', 'rank')

/** For a SELECT: what `toEventView` reads. */
export const eventColumns = columnsOf(listed)

/** A row of `event` as lists read it. */
export type ListedEventRow = RowOf<typeof listed>

/** One event as lists and the live timeline show it. Times are ISO 8601, times of receipt. */
export interface EventView extends ViewOf<typeof listed> {
  /** Set when the event is about a transaction: what `/transactions/{uuid}` takes. */
  readonly transactionUuid: string | null
  /** From the directory, of the user it concerns. */
  readonly userEmail: string | null
}

export function toEventView(row: ListedEventRow, emails: ReadonlyMap<string, string>): EventView {
  const subject = parseSubjectId(row.subject_id)
  return {
    ...toView(listed, row),
    transactionUuid: subject?.kind === 'transaction' ? subject.id : null,
    userEmail: emails.get(row.entity_uuid ?? '') ?? null,
  }
}

/** Newest first. */
export interface EventPage {
  readonly rows: readonly EventView[]
  /** For `before`: older events; null on the last page. */
  readonly older: string | null
  /** For `after`: what came since the first row of this page; null when there is no row. */
  readonly newer: string | null
}

export interface EventFilters {
  readonly type?: string | undefined
  /** The user or company that they concern. */
  readonly userUuid?: string | undefined
  /** Cursors of an `EventPage`; at most one of them. */
  readonly before?: string | undefined
  readonly after?: string | undefined
  /** 1 to 200, 50 by default. */
  readonly limit?: number | undefined
}

/** An event with all that is known of it. */
export interface EventDetailsView extends EventView {
  readonly position: EventRow['position']
  readonly rank: EventRow['rank']
  /** The body as it came; bytes that are no UTF-8 read as U+FFFD. */
  readonly body: string
  /** Every delivery that reported it, first to last. */
  readonly received: readonly DeliveryView[]
}

/** One request that arrived. */
export interface DeliveryView {
  readonly id: string
  readonly receivedAt: string
  readonly receiverId: string
  /** The service's uuid of the endpoint; null when it is not known. */
  readonly endpointUuid: string | null
  readonly answer: EventDeliveryRow['answer']
  readonly reason: SameReason
}
