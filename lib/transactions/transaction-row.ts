import 'server-only'
import type { Beneficiary, Sender } from '#lib/domain/transaction.ts'
import { emailsOf } from '#lib/events/emails-of.ts'
import { isStuck } from './is-stuck.ts'
import type { TransactionParties } from './transaction-details-view.ts'
import type { TransactionView } from './transaction-view.ts'

/** A row of `transaction`; numeric columns come as digits. */
export interface TransactionRow {
  readonly subject_id: string
  readonly uuid: string
  readonly direction: TransactionView['direction']
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
  readonly details: StoredDetails
  readonly flags: TransactionView['flags']
  readonly started_at: Date
  readonly last_move_at: Date
  readonly finished_at: Date | null
}

/** What is not known is left out, or null in rows of older rules. */
type StoredDetails = Partial<
  Omit<TransactionParties, 'sender' | 'beneficiary'> & {
    sender: Partial<Sender> | null
    beneficiary: Partial<Beneficiary> | null
    /** Where it is not the latest move. */
    lastReceivedAt: string | null
    durationSeconds: number | null
  }
>

export async function toTransactionViews(rows: readonly TransactionRow[]): Promise<TransactionView[]> {
  const emails = await emailsOf(rows.map((row) => row.user_uuid))
  const now = Date.now()
  return rows.map((row) => ({
    uuid: row.uuid,
    subjectId: row.subject_id,
    direction: row.direction,
    step: row.step,
    reason: row.reason,
    amountFiat: row.amount_fiat,
    amountCrypto: row.amount_crypto,
    amountRefunded: row.amount_refunded,
    fees: row.fees,
    limit: row.limit_amount,
    currencyFiat: row.currency_fiat,
    currencyCrypto: row.currency_crypto,
    chain: row.chain,
    transactionHash: row.transaction_hash,
    userUuid: row.user_uuid,
    userEmail: emails.get(row.user_uuid ?? '') ?? null,
    flags: row.flags,
    stuck: isStuck(row.step, row.last_move_at.getTime(), now),
    startedAt: row.started_at.toISOString(),
    lastMoveAt: row.last_move_at.toISOString(),
    finishedAt: row.finished_at?.toISOString() ?? null,
  }))
}
