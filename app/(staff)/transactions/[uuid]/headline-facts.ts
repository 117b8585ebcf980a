import { parseDecimal } from '#lib/domain/text/decimal.ts'
import type { HeadlineFacts } from '#lib/labels/headline.ts'
import type { TransactionDetailsView } from '#lib/transactions/transaction-details-view.ts'

/** What the headline of a transaction is made from. */
export function headlineFacts(transaction: TransactionDetailsView): HeadlineFacts {
  return {
    ...transaction,
    amountFiat: parseDecimal(transaction.amountFiat),
    amountCrypto: parseDecimal(transaction.amountCrypto),
    amountRefunded: parseDecimal(transaction.amountRefunded),
    limit: parseDecimal(transaction.limit),
  }
}
