import 'server-only'
import { showRecord } from '#lib/access/rules/records.ts'
import { only, toView, type ViewOf } from '#lib/timeline/tables/table.ts'
import { type TransactionRow, transactionTable } from '#lib/timeline/tables/transaction.ts'
import { isRefundDoubted } from '#lib/transactions/rules/money.ts'
import type { StuckCheck } from '#lib/transactions/usual-stays.ts'

const own = only(
  transactionTable,
  'subjectId',
  'uuid',
  'direction',
  'step',
  'reason',
  'amountFiat',
  'amountCrypto',
  'amountRefunded',
  'fees',
  'limit',
  'currencyFiat',
  'currencyCrypto',
  'chain',
  'transactionHash',
  'startedAt',
  'finishedAt',
)

/** A customer's own transaction. Whoever looks at it here, staff as well, sees what a customer sees. */
export interface OwnTransactionView extends ViewOf<typeof own> {
  /** Its outcome is contradicted by another of its steps, or by its own amount. */
  readonly conflict: boolean
  /** It is late, see `isStuck`. */
  readonly stuck: boolean
}

/** A row of `OWN_TRANSACTIONS`. */
export interface OwnTransactionRow extends TransactionRow {
  /** When the first event came of which its owner may know; another may have come before. */
  readonly own_started_at: Date
}

export function toOwnTransactionView(row: OwnTransactionRow, isStuck: StuckCheck): OwnTransactionView {
  const view = toView(own, { ...row, started_at: row.own_started_at })
  return showRecord('end-user', 'transaction', {
    ...view,
    conflict: row.flags.includes('conflict') || isRefundDoubted(view),
    stuck: isStuck(row),
  })
}

/**
 * One user's transactions (`$1`) with an event of which the user may know (types in `$2`); conditions follow. One that only
 * other events have named is none for its owner.
 */
export const OWN_TRANSACTIONS = `
  SELECT transaction.*, own.started_at AS own_started_at FROM transaction, LATERAL (
    SELECT min(first_received_at) AS started_at FROM event
    WHERE event.subject_id = transaction.subject_id AND type = ANY($2::text[])
  ) AS own
  WHERE user_uuid = $1 AND own.started_at IS NOT NULL`
