import { Time } from '#components/ui/time.tsx'
import { headline } from '#lib/timeline/labels/headline.ts'
import { circumstancesOf } from '#lib/transactions/rules/circumstances.ts'
import type { TransactionDetailsView } from '#lib/transactions/transaction-details-view.ts'
import { headlineFacts } from './headline-facts.ts'

/** What happened to a transaction, in one sentence whose age goes on. */
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
