import { customerAnswer } from '#lib/labels/event-answers.ts'
import type { ShownKind } from '#lib/labels/event-labels.ts'
import { Card } from './ui/card.tsx'
import { CopyButton } from './ui/copy-button.tsx'

/** The question that is answered here. */
export const tellCustomerTitle = 'What can I tell the customer?'

/** The answer beside what it is about. */
export const TellCustomerCard = ({ event }: { readonly event: ShownKind }) => (
  <Card title={tellCustomerTitle}>
    <TellCustomer event={event} />
  </Card>
)

/** What to say to the customer, whether money comes back, who must act, and what must not be said. */
export function TellCustomer({ event }: { readonly event: ShownKind }) {
  const { say, back, act, caution } = customerAnswer(event)
  return (
    <div className="grid max-w-xl gap-3 text-table">
      {say ? (
        <p className="flex flex-wrap items-center gap-x-2 gap-y-1">
          <span>“{say}”</span>
          <CopyButton text={say} label="Copy what to say" />
        </p>
      ) : (
        <p className="text-muted">Nothing: customers have no words for this.</p>
      )}
      <dl className="grid gap-2">
        {back && (
          <div>
            <dt className="text-muted text-xs">Does it come back, and where to?</dt>
            <dd>{back}</dd>
          </div>
        )}
        <div>
          <dt className="text-muted text-xs">Who must act?</dt>
          <dd>{act}</dd>
        </div>
      </dl>
      {caution && (
        <p data-tone="held" className="rounded-md bg-tone-bg px-2.5 py-1.5 text-sm text-tone">
          {caution}
        </p>
      )}
    </div>
  )
}
