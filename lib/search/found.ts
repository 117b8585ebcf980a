import 'server-only'
import type { EventView } from '#lib/events/event-view.ts'
import type { Total } from '#lib/paging/count-up-to.ts'
import type { TransactionView } from '#lib/transactions/transaction-view.ts'

/** A bank account, a person or company, or an event that names nobody, as lists show it. */
export interface OtherSubject {
  readonly subjectId: string
  /** ISO 8601: when anything was first received about it. */
  readonly startedAt: string
  /** The event that says where it stands. */
  readonly latest: EventView
}

export type FoundSubject = TransactionView | OtherSubject

/** Somebody whom the merchant’s own number or the e-mail names. */
export interface FoundPerson {
  readonly userUuid: string
  /** Null for roles that may not see it. */
  readonly email: string | null
  readonly customerNumber: string | null
}

/** What a search found. */
export interface Found {
  /** How the text was understood, or why nothing can be searched by it. */
  readonly explanation: string
  /** On the first page only. */
  readonly people: readonly FoundPerson[]
  /** What the pasted id is the id of, when other subjects carry it too: on the first page only, and not among `rows`. */
  readonly named: readonly FoundSubject[]
  /** Newest first. */
  readonly rows: readonly FoundSubject[]
  /** The subject to open at once: the text names this one and no other. */
  readonly exact: string | null
  /** For `cursor`: the next page; null on the last one. */
  readonly next: string | null
  /** How many carry the one id, or more than 1,000; null where several ids match, or all are on this page. */
  readonly total: Total | null
  /** The part names more ids than are looked at: others that match are not among these. */
  readonly cut: boolean
}
