import 'server-only'
import type { EventFlag, SameReason } from '#lib/domain/fold.ts'

/** One event as lists and the live timeline show it. Times are ISO 8601, times of receipt. */
export interface EventView {
  /** uuidv7 of its first delivery. */
  readonly id: string
  /** `transaction:…`, `bank-account:…`, `entity:…` or `unknown:…`; `parseSubjectId` of the domain reads it. */
  readonly subjectId: string
  /** Set when the event is about a transaction: what `/transactions/{uuid}` takes. */
  readonly transactionUuid: string | null
  /** As it came: one of §2.3, or one we do not know yet. */
  readonly type: string | null
  readonly subType: string | null
  /** `data.status`. */
  readonly status: string | null
  /** The user or corporate entity it concerns, and that user's e-mail when the directory knows it. */
  readonly entityUuid: string | null
  readonly userEmail: string | null
  readonly firstReceivedAt: string
  readonly lastReceivedAt: string
  /** How many deliveries told of it. */
  readonly deliveries: number
  /** It happened before this time, by rule; its own time then gives no duration. */
  readonly placedBefore: string | null
  readonly flags: readonly EventFlag[]
  /** Why its body could not be read as an envelope. */
  readonly unreadable: 'empty' | 'not-utf8' | 'not-json' | 'not-an-object' | null
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
  /** Cursors of an `EventPage`; at most one of them. */
  readonly before?: string | undefined
  readonly after?: string | undefined
  /** 1 to 200, 50 by default. */
  readonly limit?: number | undefined
}

/** An event with all that is known of it. */
export interface EventDetailsView extends EventView {
  /** 0 for the first in its subject's timeline. */
  readonly position: number
  /** 0 to 4, or null when its kind says nothing of progress. */
  readonly rank: number | null
  /** The body as it came; bytes that are no UTF-8 read as U+FFFD. */
  readonly body: string
  /** Every delivery that told of it, first to last. */
  readonly received: readonly DeliveryView[]
}

/** One request that arrived. */
export interface DeliveryView {
  readonly id: string
  readonly receivedAt: string
  readonly receiverId: string
  /** The service's uuid of the endpoint; null when it is not known. */
  readonly endpointUuid: string | null
  /** `unsure` when our answer may not have reached the sender. */
  readonly answer: 'sure' | 'unsure'
  /** Why it was taken for this event. */
  readonly reason: SameReason
}
