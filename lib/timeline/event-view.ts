import 'server-only'
import { showEvent } from '#lib/access/rules/events.ts'
import { showRecord } from '#lib/access/rules/records.ts'
import type { StaffRole } from '#lib/access/rules/roles.ts'
import type { Visibility } from '#lib/access/rules/visibility.ts'
import { parseSubjectId } from '#lib/deliveries/rules/subject.ts'
import { pool } from '#lib/platform/db/pool.ts'
import type { SameReason } from './rules/decide-repeat.ts'
import type { EventFilterFlag } from './rules/subject-event.ts'
import { type EventDeliveryRow, type EventRow, eventTable } from './tables/event.ts'
import { columnsOf, only, type RowOf, toView, type ViewOf, without } from './tables/table.ts'
import { transactionTable } from './tables/transaction.ts'

const listed = without(eventTable, 'fingerprint', 'position', 'rank')

/** `toEventView` reads these columns of a SELECT. */
export const eventColumns = columnsOf(listed)

/** Lists read these columns of `event`. */
export type ListedEventRow = RowOf<typeof listed>

/** Lists and the live timeline show an event in this form. Times are times of receipt in ISO 8601. */
export interface EventView extends ViewOf<typeof listed> {
  /** An event about a transaction has this id for `/transactions/{uuid}`. */
  readonly transactionUuid: string | null
  /** The e-mail address comes from the directory. */
  readonly userEmail: string | null
  /** Other roles see more of the event. */
  readonly restricted: boolean
  /** Some lists also show the amount of the transaction. */
  readonly amount?: AmountView | null
}

/** The event is shown as this role may see it. */
export function toEventView(
  role: StaffRole,
  row: ListedEventRow,
  emails: ReadonlyMap<string, string>,
): EventView {
  const subject = parseSubjectId(row.subject_id)
  return showEvent(role, {
    ...toView(listed, row),
    transactionUuid: subject?.kind === 'transaction' ? subject.id : null,
    userEmail: emails.get(row.entity_uuid ?? '') ?? null,
  })
}

/** The newest event comes first. */
export interface EventPage {
  readonly rows: readonly EventView[]
  /**
   * `older` is the value of `before` for older events; null on the last page. The page covers the list down to
   * there, even if it is empty.
   */
  readonly older: string | null
  /** The page begins at this event; null when there is none. */
  readonly newest: string | null
}

export interface EventFilters {
  readonly type?: string | undefined
  /** The events concern this user or company. */
  readonly userUuid?: string | undefined
  /** Only events of transactions that reached this step match. */
  readonly step?: string | undefined
  /** One delivery of the event came through the endpoint with this uuid at the service. */
  readonly endpointUuid?: string | undefined
  readonly flag?: EventFilterFlag | undefined
  /** The value is the `older` of an `EventPage`. */
  readonly before?: string | undefined
  /** The limit is 1 to 200, by default 50. */
  readonly limit?: number | undefined
}

/** The event is shown with everything that is known about it. */
export interface EventDetailsView extends EventView {
  readonly position: EventRow['position']
  readonly rank: EventRow['rank']
  /** The body holds each field as the role may see it; null when the role sees nothing of it, or when it is no object. */
  readonly body: string | null
  /** The role sees the raw body in this way. */
  readonly wholeBody: Visibility
  /** The body has left the log: it was `shortened` to the fields that are kept, or is `lost`. Null while it is whole. */
  readonly bodyLeft: 'shortened' | 'lost' | null
  /** Every delivery of the event is listed, first to last. */
  readonly received: readonly DeliveryView[]
}

/** A delivery is one request that arrived. */
export interface DeliveryView {
  readonly id: string
  readonly receivedAt: string
  /** The service's uuid of the endpoint; null when it is unknown, or hidden from the role. */
  readonly endpointUuid: string | null
  /** The endpoint had this name when it was last seen; null when it never was, and for roles that may not know it. */
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

/** The amount distinguishes transactions in a list: the fiat amount, or the stablecoin amount until that is known. */
interface AmountView {
  readonly value: string | null
  readonly currency: string | null
}

/** Each subject with an amount gets it as the role may see it. */
export async function amountsOf(
  role: StaffRole,
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
