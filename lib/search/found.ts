import 'server-only'
import type { StaffRole } from '#lib/access/rules/roles.ts'
import { type Information, showValue, visibilityOf } from '#lib/access/rules/visibility.ts'
import { normaliseIdentifier } from '#lib/deliveries/rules/identifier.ts'
import { parseSubjectId } from '#lib/deliveries/rules/subject.ts'
import type { Total } from '#lib/platform/paging/paging.ts'
import type { EventView } from '#lib/timeline/event-view.ts'
import { type StoredDetails, toParties } from '#lib/timeline/tables/transaction.ts'
import { refundOf } from '#lib/transactions/rules/refund.ts'
import type { TransactionView } from '#lib/transactions/transaction-view.ts'
import type { Slip } from './rules/near-miss.ts'
import { type MatchedPart, matchedParts } from './rules/probes.ts'
import type { QueryReading } from './rules/read-query.ts'
import { searchQuery } from './search-query.ts'

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

/** The merchant's own number, the e-mail address, the name, the whole uuid or the wallet names this person. */
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

/** `Explained` is the input that explains a page of a search. */
interface Explained {
  readonly reading: QueryReading
  readonly people: readonly FoundPerson[]
  /** The search looked for these whole ids. */
  readonly whole: readonly string[]
  readonly found: readonly FoundSubject[]
}

/**
 * Each subject gets the field by which it was found, as far as the role may know; account numbers look as they
 * do elsewhere. Only the ids of these subjects are read.
 */
export async function explainFound(role: StaffRole, explained: Explained): Promise<Record<string, Why>> {
  const { reading, found } = explained
  if (found.length === 0) return {}
  if (reading.amount)
    return Object.fromEntries(found.flatMap((one) => whyAmount(one, reading.amount?.digits)))
  const rows = await searchQuery<IdsRow>(IDS, [found.map(({ subjectId }) => subjectId)])
  const bySubject = new Map(found.map((one) => [one.subjectId, one]))
  return Object.fromEntries(
    rows.flatMap((row) => {
      const subject = bySubject.get(row.subject_id)
      const why = subject && whyOf(role, explained, subject, row)
      return why ? [[row.subject_id, why]] : []
    }),
  )
}

interface IdsRow {
  readonly subject_id: string
  readonly ids: readonly string[]
  readonly details: StoredDetails | null
}

const IDS = `
  SELECT subject_id, array_agg(value) AS ids,
    (SELECT details FROM transaction WHERE transaction.subject_id = identifier.subject_id) AS details
  FROM identifier WHERE subject_id = ANY($1) GROUP BY subject_id`

function whyOf(role: StaffRole, explained: Explained, subject: FoundSubject, row: IdsRow): Why | null {
  const { reading, people, whole } = explained
  const person = people.find(({ userUuid }) => row.ids.includes(userUuid))
  const fields = fieldsOf(subject, row.details)
  const seesNumbers = visibilityOf(role, 'account-number') === 'plain'
  const reasons = row.ids.flatMap((id): Why[] => {
    const number = /^=(.*)=$/.exec(id)?.[1]
    const value = number ?? id
    const isWhole = whole.includes(id) || reading.accountNumber === value
    const searchable = number === undefined || seesNumbers
    const marks = isWhole
      ? [{ from: 0, to: value.length }]
      : searchable
        ? matchedParts(value, reading.probes)
        : []
    if (marks.length === 0 || value === person?.userUuid) return []
    const field = fields.get(value) ?? (number === undefined ? 'other' : 'account-number')
    const sort = number === undefined ? (sorts[field] ?? 'fact') : 'account-number'
    const text = showValue(role, sort, sort === 'account-number' ? value.toUpperCase() : value) ?? ''
    return [{ field, text, marks: text.length === value.length ? marks : [] }]
  })
  const [best] = reasons.toSorted((one, other) => order.indexOf(one.field) - order.indexOf(other.field))
  return best ?? person?.why ?? null
}

const order: readonly WhyField[] = [
  'id',
  'hash',
  'sender-account-number',
  'beneficiary-account-number',
  'account-number',
  'wallet',
  'sending-wallet',
  'account',
  'person',
  'other',
]

/** Rows from before account numbers were marked hold them without a mark. A value that no field explains may be a wallet. */
const sorts: Partial<Record<WhyField, Information>> = {
  'sender-account-number': 'account-number',
  'beneficiary-account-number': 'account-number',
  'account-number': 'account-number',
  wallet: 'wallet',
  'sending-wallet': 'wallet',
  other: 'wallet',
}

/** Each id of a subject belongs to one of these fields, in the form of `normaliseIdentifier`. */
function fieldsOf(subject: FoundSubject, details: StoredDetails | null): ReadonlyMap<string, WhyField> {
  const own = parseSubjectId(subject.subjectId)?.id ?? ''
  const parties = details && toParties(details)
  const known: readonly (readonly [WhyField, string | null | undefined])[] = [
    ['person', 'latest' in subject ? subject.latest.entityUuid : subject.userUuid],
    ['account', parties?.internalBankAccountId],
    ['account', parties?.linkedBankAccountUuid],
    ['account', parties?.remoteBankAccountUuid],
    ['wallet', parties?.walletAddress],
    ['sending-wallet', parties?.sendingAddress],
    ['sender-account-number', parties?.sender?.iban],
    ['beneficiary-account-number', parties?.beneficiary?.accountNumber],
    ['hash', 'latest' in subject ? null : subject.transactionHash],
    ['id', own],
  ]
  return new Map(known.flatMap(([field, value]) => (value ? [[normaliseIdentifier(value), field]] : [])))
}

function whyAmount(subject: FoundSubject, digits: readonly string[] = []): (readonly [string, Why])[] {
  if ('latest' in subject) return []
  const wanted = new Set(digits.map(Number))
  const amounts = [
    ['fiat', subject.amountFiat, subject.currencyFiat],
    ['crypto', subject.amountCrypto, subject.currencyCrypto],
    ['refunded', subject.amountRefunded, refundOf(subject)?.currency ?? null],
  ] as const
  const same = amounts.find(([, amount]) => amount !== null && wanted.has(Number(amount)))
  if (!same) return []
  const [field, amount, currency] = same
  const text = [amount, currency?.toUpperCase()].filter(Boolean).join(' ')
  return [[subject.subjectId, { field, text, marks: [{ from: 0, to: String(amount).length }] }]]
}
