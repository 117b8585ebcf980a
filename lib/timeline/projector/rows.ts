import 'server-only'
import { textField } from '#lib/deliveries/rules/text-field.ts'
import type { ProjectedTransaction } from '#lib/transactions/rules/transaction.ts'
import type { DeliveryFact, ReasonedDelivery, SubjectEvent } from '../rules/fold.ts'
import type { Standing } from '../rules/standing.ts'
import {
  type EventDeliveryRow,
  eventDeliveryTable,
  eventTable,
  type NewEventDeliveryRow,
  type NewEventRow,
} from '../tables/event.ts'
import { type NewStandingRow, standingTable } from '../tables/standing.ts'
import { type GivenOf, only, type RowOf, toNewRow, toWrittenRow } from '../tables/table.ts'
import { type NewTransactionRow, toStoredDetails, transactionTable } from '../tables/transaction.ts'
import type { BodyReading } from './bodies.ts'

/** The body stays in the log, under the id of the event's first delivery, which is the event's id. */
export const toNewEventRow = (
  subjectId: string,
  event: SubjectEvent,
  { envelope, unreadable }: BodyReading,
): NewEventRow =>
  toNewRow(eventTable, {
    ...event,
    subjectId,
    type: envelope?.type ?? null,
    subType: envelope?.subType ?? null,
    status: textField(envelope?.data ?? null, 'status'),
    entityUuid: envelope?.uuid?.trim().toLowerCase() || null,
    deliveries: event.deliveries.length,
    unreadable,
  })

export const toNewDeliveryRow = (
  subjectId: string,
  eventId: string,
  { delivery, reason }: ReasonedDelivery,
): NewEventDeliveryRow =>
  toNewRow(eventDeliveryTable, { ...delivery, ...toStoredEvidence(delivery), subjectId, eventId, reason })

export const toNewTransactionRow = (
  subjectId: string,
  transaction: ProjectedTransaction,
): NewTransactionRow =>
  toNewRow(transactionTable, {
    ...transaction,
    subjectId,
    uuid: transaction.id,
    stepBeganAt: transaction.stepBeganAt === transaction.lastMoveAt ? null : transaction.stepBeganAt,
    details: toStoredDetails(transaction),
  })

export const toNewStandingRow = (subjectId: string, standing: Standing): NewStandingRow =>
  toNewRow(standingTable, { ...standing, subjectId })

// Only these columns can change in a row that a fold wrote; the others follow from its key and its fingerprint. A fold
// compares every row of its subject, so it compares only these. A rebuild trusts no row and compares whole rows.

const changing = {
  event: only(
    eventTable,
    'fingerprint',
    'position',
    'rank',
    'deliveries',
    'lastReceivedAt',
    'placedBefore',
    'cameAgainId',
    'cameAgainAt',
    'flags',
  ),
  delivery: only(eventDeliveryTable, 'eventId', 'answer', 'reason', 'others', 'evidence'),
}

export const eventKey = (given: GivenOf<typeof changing.event>) => rowText(toNewRow(changing.event, given))
export const eventRowKey = (row: RowOf<typeof changing.event>) => rowText(toWrittenRow(changing.event, row))

export const deliveryKey = (given: GivenOf<typeof changing.delivery>) =>
  rowText(toNewRow(changing.delivery, given))
export const deliveryRowKey = (row: RowOf<typeof changing.delivery>) =>
  rowText(toWrittenRow(changing.delivery, row))

/**
 * Rows of a table are equal when these texts are equal. The text is made of a row to be written, or of a stored
 * row after `toWrittenRow`. Only this decides whether a row has to be written, decision 0030.
 */
export function rowText(row: object): string {
  let text = ''
  // No text of a row contains NUL, see `textField`.
  for (const value of Object.values(row)) text += value === null ? '\0-' : `\0=${valueText(value)}`
  return text
}

const valueText = (value: unknown): string =>
  typeof value === 'object' ? JSON.stringify(inOrder(value)) : String(value)

/** The database orders the names in an object in its own way. */
function inOrder(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.length === 0 ? value : value.map(inOrder)
  return Object.entries(value)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, inner]) => [name, inOrder(inner)])
}

/** The columns of `event_delivery` form a fact; the fingerprint is in the event's row. */
export type DeliveryFactRow = Omit<EventDeliveryRow, 'reason'>

export const toDeliveryFact = (row: DeliveryFactRow, fingerprint: string): DeliveryFact => ({
  id: row.delivery_id,
  order: row.seq,
  receivedAt: row.received_at.getTime(),
  receiver: row.receiver_id,
  fingerprint,
  answer: row.answer,
  ...fromStoredEvidence(row),
})

/** The evidence columns of `event_delivery` are both null when nothing is known. */
type StoredEvidence = Pick<EventDeliveryRow, 'others' | 'evidence'>

/** Empty lists are not stored. */
export function toStoredEvidence({
  otherReceivers,
  offPeriods = [],
  refusedAt = [],
  earliestAttempt,
}: DeliveryFact): StoredEvidence {
  if (otherReceivers === undefined) return { others: null, evidence: null }
  const evidence = {
    ...(offPeriods.length === 0 ? {} : { away: offPeriods }),
    ...(refusedAt.length === 0 ? {} : { refused: refusedAt }),
    ...(typeof earliestAttempt === 'number' ? { triedSince: earliestAttempt } : {}),
  }
  return { others: otherReceivers, evidence: Object.keys(evidence).length === 0 ? null : evidence }
}

/** Stored evidence becomes part of a fact again. */
export function fromStoredEvidence({
  others: otherReceivers,
  evidence,
}: StoredEvidence): Partial<DeliveryFact> {
  if (otherReceivers === null) return {}
  const {
    away: offPeriods = [],
    refused: refusedAt = [],
    triedSince: earliestAttempt = null,
  } = evidence ?? {}
  return { otherReceivers, offPeriods, refusedAt, earliestAttempt }
}

/** The evidence fields of a fact can be merged into another reading of the same delivery. */
export const evidenceOf = (fact: DeliveryFact): Partial<DeliveryFact> =>
  fromStoredEvidence(toStoredEvidence(fact))
