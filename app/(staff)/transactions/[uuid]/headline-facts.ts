import { parseDecimal } from '#lib/domain/decimal.ts'
import type { HeadlineFacts } from '#lib/domain/headline.ts'
import type { TransactionDetails } from '#lib/transactions/transaction-details.ts'

/** What the headline of a transaction is made from. */
export function headlineFacts(transaction: TransactionDetails): HeadlineFacts {
  return {
    ...transaction,
    amountFiat: parseDecimal(transaction.amountFiat),
    amountCrypto: parseDecimal(transaction.amountCrypto),
    amountRefunded: parseDecimal(transaction.amountRefunded),
    limit: parseDecimal(transaction.limit),
  }
}
