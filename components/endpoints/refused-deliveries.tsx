import { Callout } from '#components/ui/callout.tsx'
import { Time } from '#components/ui/time.tsx'
import { refusalReasons } from '#lib/deliveries/rules/refusal-reasons.ts'
import type { ReceiverView } from '#lib/endpoints/endpoint-view.ts'
import { counted, inSentence } from '#lib/words/labels/in-sentence.ts'
import { refusalReasonsMessage, refusalRemedy } from './gaps/refusal-labels.ts'

/** Whether the service sends all of it again. */
export const isAllDeferred = ({ reasons }: ReceiverView): boolean =>
  reasons.every(({ why }) => why !== null && refusalReasons[why] === 'deferred')

/** What was not taken, why, whether it comes again, and what helps. */
export function RefusedDeliveries({ receiver }: { readonly receiver: ReceiverView }) {
  const { refused, refusedSince, reasons } = receiver
  const comeAgain = isAllDeferred(receiver)
  return (
    <Callout
      kind={comeAgain ? 'warning' : 'error'}
      title={`${counted(refused, 'delivery was', 'deliveries were')} not taken in the last 24 hours.`}
    >
      {refusedSince && (
        <>
          Since <Time at={refusedSince} style="clock" />:{' '}
        </>
      )}
      {refusalReasonsMessage(reasons)}.{' '}
      {comeAgain
        ? 'The service sends each up to six times more, and what is taken then is not lost. If it goes on: '
        : 'If it goes on: '}
      {inSentence(refusalRemedy(reasons) ?? 'ask the provider.')}
    </Callout>
  )
}
