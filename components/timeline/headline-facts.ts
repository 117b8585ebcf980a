import { parseDecimal } from '#lib/platform/rules/decimal.ts'
import type { HeadlineFacts } from '#lib/timeline/labels/headline.ts'
import type { TransactionView } from '#lib/transactions/transaction-view.ts'

/** What the headline of a transaction is made from; a list does not know how long it took. */
export const headlineFacts = (
  transaction: Pick<TransactionView, Exclude<keyof HeadlineFacts, 'durationSeconds'>> & {
    readonly durationSeconds?: number | null
  },
): HeadlineFacts => ({
  ...transaction,
  amountFiat: parseDecimal(transaction.amountFiat),
  amountCrypto: parseDecimal(transaction.amountCrypto),
  amountRefunded: parseDecimal(transaction.amountRefunded),
  limit: parseDecimal(transaction.limit),
  durationSeconds: transaction.durationSeconds ?? null,
})
