import { headlineFacts } from '#components/timeline/headline-facts.ts'
import type { SaidIn } from '#components/timeline/said-text.tsx'
import { showValue } from '#lib/access/rules/show-value.ts'
import type { TransactionDetailsView } from '#lib/transactions/transaction-details-view.ts'
import type { CustomerWords } from '#lib/words/labels/customer-labels.ts'
import { customerReply, type ReplyFacts } from '#lib/words/labels/customer-reply.ts'

/** The reply to its customer in each language, from what the customer may know. */
export function replyTexts(
  transaction: TransactionDetailsView,
  all: readonly CustomerWords[],
  verificationUrl: string | null,
  usual: ReplyFacts['usual'],
): SaidIn[] {
  const known = {
    ...headlineFacts(transaction),
    step: showValue('end-user', 'state', transaction.step),
    reason: showValue('end-user', 'state', transaction.reason),
  }
  return all.map((words) => ({
    language: words.language,
    text: customerReply(words, known, { reference: transaction.uuid, verificationUrl, usual }),
  }))
}
