import 'server-only'
import type { Total } from '#lib/platform/paging/paging.ts'
import type { EventView } from '#lib/timeline/event-view.ts'
import type { TransactionView } from '#lib/transactions/transaction-view.ts'
import type { Slip } from './rules/near-miss.ts'
import type { MatchedPart } from './rules/probes.ts'

/** Lists show a bank account, a person or company, or an event that names nobody. */
export interface OtherSubject {
  readonly subjectId: string
  /** Anything about it was first received at this time, ISO 8601. */
  readonly startedAt: string
  /** The latest event gives its status. */
  readonly latest: EventView
}

export type FoundSubject = TransactionView | OtherSubject

/** A subject was found by one of these fields. */
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

/** `Why` explains a match as far as the role may know: its field, the text in it, and the parts that match. */
export interface Why {
  readonly field: WhyField
  readonly text: string
  readonly marks: readonly MatchedPart[]
}

/** The merchant's own number, the e-mail address or the name names this person. */
export interface FoundPerson {
  readonly userUuid: string
  /** Null for roles that may not see it. */
  readonly email: string | null
  readonly name: string | null
  readonly customerNumber: string | null
  readonly why: Why
}

/** The id differs from the typed text by one character, or by letters that look like digits. */
export interface NearMiss {
  readonly subjectId: string
  /** `value` is the suggested id. */
  readonly value: string
  /** Null when letters were typed for digits. */
  readonly slip: Slip | null
}

/** The endpoint delivers here. */
export interface FoundEndpoint {
  readonly endpointUuid: string
  readonly name: string
  readonly status: string
}

/** Deliveries may be missing in this time. */
export interface MissedTime {
  readonly id: string
  /** ISO 8601 */
  readonly beganAt: string
  /** Null while the gap lasts. */
  readonly endedAt: string | null
  /** Another endpoint received everything that this one missed, as far as is known. */
  readonly covered: boolean
}

/** `Absence` lists known reasons why data may be missing. */
export interface Absence {
  /** This installation receives from the service at this host. */
  readonly service: string
  readonly sandbox: boolean
  /**
   * Deliveries arrived from this time on: null before the first endpoint, `unknown` when an endpoint existed
   * before anybody checked.
   */
  readonly since: { readonly at: string } | 'unknown' | null
  /** The oldest stored event was received at this time, ISO 8601, if that was before `since`: it was imported. */
  readonly oldest: string | null
  /** No endpoint delivers these types here now; null when none is active. */
  readonly missingTypes: readonly string[] | null
  /** Open gaps may have lost deliveries: the latest of them, and their number. */
  readonly gaps: readonly MissedTime[]
  readonly openGaps: number
}

export interface Found {
  /** The explanation says how the text was understood, or why nothing can be searched by it. */
  readonly explanation: string
  /** Only the first page names people. */
  readonly people: readonly FoundPerson[]
  /** Only the first page names endpoints, for roles that see them. */
  readonly endpoints: readonly FoundEndpoint[]
  /**
   * The pasted id is the id of these, when other subjects carry it too. They are on the first page only, and
   * not among `rows`.
   */
  readonly named: readonly FoundSubject[]
  /** The newest row comes first. */
  readonly rows: readonly FoundSubject[]
  /** The reasons are listed by the id of the subject. */
  readonly why: Readonly<Record<string, Why>>
  /** The page opens this subject at once, because the text names it and no other. */
  readonly exact: string | null
  /** `next` is the `cursor` of the next page; null on the last one. */
  readonly next: string | null
  /**
   * The page is not full and scanned back to this time (ISO 8601) for the filters; `next` continues from there.
   * Null when everything was scanned, or the page is full.
   */
  readonly scannedTo: string | null
  /**
   * This many subjects carry the one id, or match the filters; null when several ids match without filters, or
   * all are on this page.
   */
  readonly total: Total | null
  /** The part matches more ids or people than are read, so other matches are missing. */
  readonly cut: boolean
  /** When nothing was found, these are suggestions. */
  readonly near: readonly NearMiss[]
  /** When nothing was found, roles that see endpoints get the reasons. */
  readonly absence: Absence | null
}

/** A search that finds nothing returns this with its explanation. */
export const foundNothing: Omit<Found, 'explanation'> = {
  people: [],
  endpoints: [],
  named: [],
  rows: [],
  why: {},
  exact: null,
  next: null,
  scannedTo: null,
  total: null,
  cut: false,
  near: [],
  absence: null,
}
