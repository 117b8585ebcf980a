import 'server-only'
import type { Total } from '#lib/platform/paging/paging.ts'
import type { EventView } from '#lib/timeline/event-view.ts'
import type { TransactionView } from '#lib/transactions/transaction-view.ts'
import type { Slip } from './rules/near-miss.ts'
import type { MatchedPart } from './rules/probes.ts'

/** A bank account, a person or company, or an event that names nobody, as lists show it. */
export interface OtherSubject {
  readonly subjectId: string
  /** ISO 8601: when anything was first received about it. */
  readonly startedAt: string
  /** The event that says where it stands. */
  readonly latest: EventView
}

export type FoundSubject = TransactionView | OtherSubject

/** By which field something was found. */
export type WhyField =
  | 'id'
  | 'hash'
  | 'wallet'
  | 'sending-wallet'
  | 'account'
  | 'sender-account-number'
  | 'beneficiary-account-number'
  | 'account-number'
  | 'person'
  | 'email'
  | 'name'
  | 'customer-number'
  | 'fiat'
  | 'crypto'
  | 'refunded'
  | 'other'

/** Why something was found, as far as the caller's role may know: its field, what stands in it, and the parts that match. */
export interface Why {
  readonly field: WhyField
  readonly text: string
  readonly marks: readonly MatchedPart[]
}

/** Somebody whom the merchant’s own number, the e-mail or the name names. */
export interface FoundPerson {
  readonly userUuid: string
  /** Null for roles that may not see it. */
  readonly email: string | null
  readonly name: string | null
  readonly customerNumber: string | null
  readonly why: Why
}

/** Something whose id differs from what was typed by one character, or by letters that look like digits. */
export interface NearMiss {
  readonly subjectId: string
  /** The id that is meant. */
  readonly value: string
  /** Null where letters were typed for digits. */
  readonly slip: Slip | null
}

/** An endpoint that delivers here. */
export interface FoundEndpoint {
  readonly endpointUuid: string
  readonly name: string
  readonly status: string
}

/** A time in which deliveries may be missing. */
export interface MissedTime {
  readonly id: string
  /** ISO 8601 */
  readonly beganAt: string
  /** Null while it lasts. */
  readonly endedAt: string | null
  /** Another endpoint was sent all that this one missed, as far as is known. */
  readonly covered: boolean
}

/** What is known here of why something may be missing. */
export interface Absence {
  /** The host of the service that this installation listens to. */
  readonly service: string
  readonly sandbox: boolean
  /** When deliveries were first taken: null before the first endpoint, `unknown` where an endpoint was there before anybody looked. */
  readonly since: { readonly at: string } | 'unknown' | null
  /** ISO 8601: when the oldest event that is stored was received, if that was before `since`: it was imported. */
  readonly oldest: string | null
  /** Types that no endpoint delivers here now; null when none is active. */
  readonly missingTypes: readonly string[] | null
  /** Times in which deliveries may be missing and that nobody has closed: the latest, and how many there are. */
  readonly gaps: readonly MissedTime[]
  readonly openGaps: number
}

/** What a search found. */
export interface Found {
  /** How the text was understood, or why nothing can be searched by it. */
  readonly explanation: string
  /** On the first page only. */
  readonly people: readonly FoundPerson[]
  /** On the first page only, for roles that see endpoints. */
  readonly endpoints: readonly FoundEndpoint[]
  /** What the pasted id is the id of, when other subjects carry it too: on the first page only, and not among `rows`. */
  readonly named: readonly FoundSubject[]
  /** Newest first. */
  readonly rows: readonly FoundSubject[]
  /** Why each was found, by its subject's id. */
  readonly why: Readonly<Record<string, Why>>
  /** The subject to open at once: the text names this one and no other. */
  readonly exact: string | null
  /** For `cursor`: the next page; null on the last one. */
  readonly next: string | null
  /**
   * ISO 8601: the page looked back to here for what the filters let through, and is not full; earlier ones are looked at from
   * `next`. Null where all was looked at, or the page is full.
   */
  readonly lookedTo: string | null
  /** How many carry the one id, or match the filters; null where several ids match without any, or all are on this page. */
  readonly total: Total | null
  /** The part names more ids or more people than are looked at: others that match are not among these. */
  readonly cut: boolean
  /** Where nothing was found: what may have been meant. */
  readonly near: readonly NearMiss[]
  /** Where nothing was found, for roles that see endpoints. */
  readonly absence: Absence | null
}

/** What stands beside the explanation when nothing was found. */
export const foundNothing: Omit<Found, 'explanation'> = {
  people: [],
  endpoints: [],
  named: [],
  rows: [],
  why: {},
  exact: null,
  next: null,
  lookedTo: null,
  total: null,
  cut: false,
  near: [],
  absence: null,
}
