import { parseDecimal } from '#lib/domain/text/decimal.ts'
import { headline } from '#lib/labels/headline.ts'
import type { TransactionView } from '#lib/transactions/transaction-view.ts'

/** What happened to a transaction, in one sentence; a list does not know how long it took. */
export const headlineOf = (
  transaction: TransactionView & { readonly durationSeconds?: number | null },
): string =>
  headline({
    ...transaction,
    // A hold's reason helps its owner; a failure's is the provider's own code.
    reason: transaction.step === 'FAILED' ? null : transaction.reason,
    amountFiat: parseDecimal(transaction.amountFiat),
    amountCrypto: parseDecimal(transaction.amountCrypto),
    amountRefunded: parseDecimal(transaction.amountRefunded),
    limit: parseDecimal(transaction.limit),
    durationSeconds: transaction.durationSeconds ?? null,
  })
