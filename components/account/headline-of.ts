import { headline } from '#lib/labels/headline.ts'
import { headlineFacts } from '../headline-facts.ts'

/** What happened to a transaction, in one sentence for its owner. */
export const headlineOf = (transaction: Parameters<typeof headlineFacts>[0]): string =>
  headline({
    ...headlineFacts(transaction),
    // A hold's reason helps its owner; a failure's is the provider's own code.
    reason: transaction.step === 'FAILED' ? null : transaction.reason,
  })
