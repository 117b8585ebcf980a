import 'server-only'
import type { Beneficiary, Sender } from '#lib/domain/transaction.ts'
import { emailsOf } from '#lib/events/emails-of.ts'
import { isStuck } from './is-stuck.ts'
import type { TransactionParties } from './transaction-details.ts'
import type { TransactionRow } from './transaction-row.ts'

/** A row of `transaction`; numeric columns come as digits. */
export interface TransactionRecord {
  readonly subject_id: string
  readonly uuid: string
  readonly direction: TransactionRow['direction']
  readonly step: string | null
  readonly reason: string | null
  readonly amount_fiat: string | null
  readonly amount_crypto: string | null
  readonly amount_refunded: string | null
  readonly fees: string | null
  readonly limit_amount: string | null
  readonly currency_fiat: string | null
  readonly currency_crypto: string | null
  readonly chain: string | null
  readonly transaction_hash: string | null
  readonly user_uuid: string | null
  readonly details: KnownDetails
  readonly flags: TransactionRow['flags']
  readonly started_at: Date
  readonly last_move_at: Date
  readonly finished_at: Date | null
}

/** What is not known is left out, or null in rows of older rules. */
type KnownDetails = Partial<
  Omit<TransactionParties, 'sender' | 'beneficiary'> & {
    sender: Partial<Sender> | null
    beneficiary: Partial<Beneficiary> | null
    /** Where it is not the latest move. */
    lastReceivedAt: string | null
    durationSeconds: number | null
  }
>

export async function toTransactionRows(records: readonly TransactionRecord[]): Promise<TransactionRow[]> {
  const emails = await emailsOf(records.map((record) => record.user_uuid))
  const now = Date.now()
  return records.map((record) => ({
    uuid: record.uuid,
    subjectId: record.subject_id,
    direction: record.direction,
    step: record.step,
    reason: record.reason,
    amountFiat: record.amount_fiat,
    amountCrypto: record.amount_crypto,
    amountRefunded: record.amount_refunded,
    fees: record.fees,
    limit: record.limit_amount,
    currencyFiat: record.currency_fiat,
    currencyCrypto: record.currency_crypto,
    chain: record.chain,
    transactionHash: record.transaction_hash,
    userUuid: record.user_uuid,
    userEmail: emails.get(record.user_uuid ?? '') ?? null,
    flags: record.flags,
    stuck: isStuck(record.step, record.last_move_at.getTime(), now),
    startedAt: record.started_at.toISOString(),
    lastMoveAt: record.last_move_at.toISOString(),
    finishedAt: record.finished_at?.toISOString() ?? null,
  }))
}
