import { Time } from '#components/ui/time.tsx'
import { parseDecimal } from '#lib/platform/rules/decimal.ts'
import { type HeadlineFacts, headline } from '#lib/timeline/labels/headline.ts'
import type { TransactionDetailsView } from '#lib/transactions/get-transaction.ts'
import { circumstancesOf } from '#lib/transactions/rules/circumstances.ts'
import type { TransactionView } from '#lib/transactions/transaction-view.ts'

/** The headline of a transaction is made from these facts; a list does not know the duration. */
export const headlineFacts = (
  transaction: Pick<TransactionView, Exclude<keyof HeadlineFacts, 'durationSeconds' | 'turn'>> & {
    readonly durationSeconds?: number | null
    readonly turn?: HeadlineFacts['turn']
  },
): HeadlineFacts => ({
  ...transaction,
  amountFiat: parseDecimal(transaction.amountFiat),
  amountCrypto: parseDecimal(transaction.amountCrypto),
  amountRefunded: parseDecimal(transaction.amountRefunded),
  limit: parseDecimal(transaction.limit),
  durationSeconds: transaction.durationSeconds ?? null,
  turn: transaction.turn ?? null,
})

/** One sentence says what happened to a transaction, and its age keeps counting. */
export function HeadlineText({ transaction }: { readonly transaction: TransactionDetailsView }) {
  const { step, events } = transaction
  const happenings = events.map(({ placedBefore, firstReceivedAt, ...event }) => ({
    ...event,
    at: placedBefore === null ? firstReceivedAt : null,
  }))
  const sentence = headline(headlineFacts(transaction), circumstancesOf(happenings, step))
  return (
    <>
      {sentence.before}
      {sentence.since && <Time at={sentence.since} style="elapsed" className="num" />}
      {sentence.after}
    </>
  )
}
