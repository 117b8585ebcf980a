import 'server-only'
import { textField } from '#lib/deliveries/rules/text-field.ts'
import type { ProjectedTransaction } from '#lib/transactions/rules/transaction.ts'
import type { ReasonedDelivery, SubjectEvent } from '../rules/fold.ts'
import type { Standing } from '../rules/standing.ts'
import { eventTable, type NewEventRow } from '../tables/event.ts'
import { eventDeliveryTable, type NewEventDeliveryRow } from '../tables/event-delivery.ts'
import { type NewStandingRow, standingTable } from '../tables/standing.ts'
import { toNewRow } from '../tables/table.ts'
import { type NewTransactionRow, transactionTable } from '../tables/transaction.ts'
import { toStoredDetails } from '../tables/transaction-details.ts'
import type { BodyReading } from './read-delivery.ts'
import { toStoredEvidence } from './stored-evidence.ts'

/** Its body stays in the log, under the id of its first delivery, which is the event's. */
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
