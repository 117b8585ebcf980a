import 'server-only'
import { textField } from '#lib/domain/envelope.ts'
import type { EventDelivery, SubjectEvent } from '#lib/domain/fold.ts'
import type { Transaction } from '#lib/domain/transaction.ts'
import { keptEvidence } from './kept-evidence.ts'
import type { Reading } from './read-delivery.ts'

/**
 * A row of `event`, columns by name, as JSON carries it to the database. Times are ISO 8601, bytes `\x…`. Its body stays
 * in the log, under the id of its first delivery, which is the event's.
 */
export type NewEventRow = ReturnType<typeof toNewEventRow>

export function toNewEventRow(subjectId: string, event: SubjectEvent, { envelope, unreadable }: Reading) {
  return {
    subject_id: subjectId,
    id: event.id,
    fingerprint: `\\x${event.fingerprint}`,
    type: envelope?.type ?? null,
    sub_type: envelope?.subType ?? null,
    status: textField(envelope?.data ?? null, 'status'),
    entity_uuid: envelope?.uuid?.trim().toLowerCase() || null,
    position: event.position,
    rank: event.rank,
    deliveries: event.deliveries.length,
    first_received_at: isoTime(event.firstReceivedAt),
    last_received_at: isoTime(event.lastReceivedAt),
    placed_before: event.placedBefore === null ? null : isoTime(event.placedBefore),
    flags: [...event.flags],
    unreadable,
  }
}

/** A row of `event_delivery`. */
export type NewDeliveryRow = ReturnType<typeof toNewDeliveryRow>

export function toNewDeliveryRow(subjectId: string, eventId: string, { delivery, reason }: EventDelivery) {
  return {
    subject_id: subjectId,
    delivery_id: delivery.id,
    event_id: eventId,
    seq: String(delivery.order),
    received_at: isoTime(delivery.receivedAt),
    receiver_id: delivery.receiver,
    answer: delivery.answer,
    reason,
    ...keptEvidence(delivery),
  }
}

/** A row of `transaction`. */
export type NewTransactionRow = ReturnType<typeof toNewTransactionRow>

export function toNewTransactionRow(subjectId: string, transaction: Transaction) {
  return {
    subject_id: subjectId,
    uuid: transaction.id,
    direction: transaction.direction,
    step: transaction.step,
    reason: transaction.reason,
    amount_fiat: transaction.amountFiat,
    amount_crypto: transaction.amountCrypto,
    amount_refunded: transaction.amountRefunded,
    fees: transaction.fees,
    limit_amount: transaction.limit,
    currency_fiat: transaction.currencyFiat,
    currency_crypto: transaction.currencyCrypto,
    chain: transaction.chain,
    transaction_hash: transaction.transactionHash,
    user_uuid: transaction.userUuid,
    details: detailsOf(transaction),
    flags: [...transaction.flags],
    started_at: isoTime(transaction.startedAt),
    last_move_at: isoTime(transaction.lastMoveAt),
    finished_at: transaction.finishedAt === null ? null : isoTime(transaction.finishedAt),
  }
}

/**
 * What no list filters or sorts by, and only a transaction's own page shows. What nothing is known of is left out, and
 * so is the latest receipt where it is the latest move.
 */
function detailsOf(transaction: Transaction) {
  return withoutNulls({
    walletAddress: transaction.walletAddress,
    sendingAddress: transaction.sendingAddress,
    sender: transaction.sender && withoutNulls(transaction.sender),
    beneficiary: transaction.beneficiary && withoutNulls(transaction.beneficiary),
    internalBankAccountId: transaction.internalBankAccountId,
    linkedBankAccountUuid: transaction.linkedBankAccountUuid,
    remoteBankAccountUuid: transaction.remoteBankAccountUuid,
    lastReceivedAt:
      transaction.lastReceivedAt === transaction.lastMoveAt ? null : isoTime(transaction.lastReceivedAt),
    durationSeconds: transaction.durationSeconds,
  })
}

const withoutNulls = (fields: object): object =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== null))

/** A row of `identifier`. */
export interface NewIdentifierRow {
  readonly subject_id: string
  readonly value: string
  /** When anything was first received about the subject: what searches go by, newest first. */
  readonly started_at: string
}

/** Rows of one delivery say the same time again and again. */
let last = { ms: 0, text: new Date(0).toISOString() }

export function isoTime(ms: number): string {
  if (ms !== last.ms) last = { ms, text: new Date(ms).toISOString() }
  return last.text
}
