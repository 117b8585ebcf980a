import 'server-only'
import { showEvent } from '#lib/access/rules/events.ts'
import { showRecord } from '#lib/access/rules/records.ts'
import type { Role } from '#lib/access/rules/roles.ts'
import type { Visibility } from '#lib/access/rules/visibility.ts'
import { parseSubjectId } from '#lib/deliveries/rules/subject.ts'
import { pool } from '#lib/platform/db/pool.ts'
import type { SameReason } from './rules/decide-repeat.ts'
import type { EventFilterFlag } from './rules/subject-event.ts'
import { type EventDeliveryRow, type EventRow, eventTable } from './tables/event.ts'
import { columnsOf, only, type RowOf, toView, type ViewOf, without } from './tables/table.ts'
import { transactionTable } from './tables/transaction.ts'

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
  /** Other roles see more of it. */
  readonly restricted: boolean
  /** Of its transaction, where a list says it. */
  readonly amount?: AmountView | null
}

/** As this role may see it. */
export function toEventView(role: Role, row: ListedEventRow, emails: ReadonlyMap<string, string>): EventView {
  const subject = parseSubjectId(row.subject_id)
  return showEvent(role, {
    ...toView(listed, row),
    transactionUuid: subject?.kind === 'transaction' ? subject.id : null,
    userEmail: emails.get(row.entity_uuid ?? '') ?? null,
  })
}

/** Newest first. */
export interface EventPage {
  readonly rows: readonly EventView[]
  /** For `before`: older events; null on the last page. What is listed down to there is on this page, be it nothing. */
  readonly older: string | null
  /** Up to where it is; null where nothing is. */
  readonly newest: string | null
}

export interface EventFilters {
  readonly type?: string | undefined
  /** The user or company that they concern. */
  readonly userUuid?: string | undefined
  /** Those of transactions that reached it. */
  readonly step?: string | undefined
  /** The service's uuid of an endpoint through which one of their deliveries came. */
  readonly endpointUuid?: string | undefined
  readonly flag?: EventFilterFlag | undefined
  /** `older` of an `EventPage`. */
  readonly before?: string | undefined
  /** 1 to 200, 50 by default. */
  readonly limit?: number | undefined
}

/** An event with all that is known of it. */
export interface EventDetailsView extends EventView {
  readonly position: EventRow['position']
  readonly rank: EventRow['rank']
  /** The body with each field as the caller's role may have it; null when it gets none of it, or when it is no object. */
  readonly body: string | null
  /** How the caller's role gets the body as it came. */
  readonly wholeBody: Visibility
  /** The body has left the log: `shortened` to the fields that are kept, or `lost`. Null while it is whole. */
  readonly bodyLeft: 'shortened' | 'lost' | null
  /** Every delivery that reported it, first to last. */
  readonly received: readonly DeliveryView[]
}

/** One request that arrived. */
export interface DeliveryView {
  readonly id: string
  readonly receivedAt: string
  /** The service's uuid of the endpoint; null when it is not known, or not for the caller's role. */
  readonly endpointUuid: string | null
  /** As it was called when it was last seen; null where it never was, or for roles that may not know it. */
  readonly endpointName: string | null
  readonly answer: EventDeliveryRow['answer']
  readonly reason: SameReason
}

const amounts = only(
  transactionTable,
  'subjectId',
  'amountFiat',
  'currencyFiat',
  'amountCrypto',
  'currencyCrypto',
)

/** What tells one transaction from another in a list: its fiat amount, or until that is given its stablecoin amount. */
interface AmountView {
  readonly value: string | null
  readonly currency: string | null
}

/** The amount of each of these subjects that has one, as the role may know it. */
export async function amountsOf(
  role: Role,
  subjectIds: readonly string[],
): Promise<ReadonlyMap<string, AmountView>> {
  const asked = new Set(subjectIds.filter((id) => id.startsWith('transaction:')))
  if (asked.size === 0) return new Map()
  const { rows } = await pool().query<RowOf<typeof amounts>>(
    `SELECT ${columnsOf(amounts)} FROM transaction
     WHERE subject_id = ANY($1::text[]) AND COALESCE(amount_fiat, amount_crypto) IS NOT NULL`,
    [[...asked]],
  )
  return new Map(
    rows.map((row) => {
      const shown = showRecord(role, 'transaction', toView(amounts, row))
      const { amountFiat, currencyFiat, amountCrypto, currencyCrypto } = shown
      const amount =
        amountFiat === null
          ? { value: amountCrypto, currency: currencyCrypto }
          : { value: amountFiat, currency: currencyFiat }
      return [row.subject_id, amount]
    }),
  )
}
