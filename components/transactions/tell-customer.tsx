import { InEnglish, SaidText } from '#components/timeline/said-text.tsx'
import { Card } from '#components/ui/card.tsx'
import { isDirection } from '#lib/deliveries/rules/steps.ts'
import type { Language } from '#lib/platform/rules/language.ts'
import { customerAnswer } from '#lib/timeline/labels/event-answers.ts'
import type { ShownKind } from '#lib/timeline/labels/event-labels.ts'
import type { TransactionDetailsView } from '#lib/transactions/get-transaction.ts'
import { customerReason } from '#lib/transactions/rules/circumstances.ts'
import { type RefundFacts, refundOf } from '#lib/transactions/rules/refund.ts'
import type { CustomerWords } from '#lib/words/labels/customer-labels.ts'
import { languageInEnglish } from '#lib/words/labels/formats.ts'

/** The card answers this question. */
export const tellCustomerTitle = 'What can I tell the customer?'

/** Customers are told in one of these languages; the customer's own comes first, as far as it is known. */
export interface TellingWords {
  readonly all: readonly [CustomerWords, ...CustomerWords[]]
  readonly first: Language | null
}

interface TellCustomerProps {
  readonly event: ShownKind
  readonly words: TellingWords
}

/** The card is beside the thing that it is about. */
export const TellCustomerCard = (props: TellCustomerProps) => (
  <Card title={tellCustomerTitle}>
    <TellCustomer {...props} />
  </Card>
)

/** The answer says what to tell the customer, whether money comes back, who must act, and what must not be said. */
export function TellCustomer({ event: given, words: { all, first } }: TellCustomerProps) {
  const event = { ...given, status: customerReason(given.status, given.turn) }
  const { back, act, caution } = customerAnswer(event, all[0])
  const says = saysIn(event, all)
  return (
    <div className="grid max-w-xl grid-cols-[minmax(0,1fr)] gap-3 text-table">
      {says.length > 0 ? (
        <SaidText texts={says} first={first} label="Copy what to say" />
      ) : (
        <p className="text-muted">Nothing: there is no customer message for this.</p>
      )}
      <dl className="grid gap-2">
        {back && (
          <div>
            <dt className="text-muted text-xs">Is there a refund?</dt>
            <dd>{back}</dd>
          </div>
        )}
        <div>
          <dt className="text-muted text-xs">Next step</dt>
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

/** Nothing is said in a language without words for the event. */
const saysIn = (event: ShownKind, all: TellingWords['all']) =>
  all.flatMap((words) => {
    const { say } = customerAnswer(event, words)
    return say === null ? [] : [{ language: words.language, text: say }]
  })

/**
 * Staff read this to the customer of a transaction, in the customer's language. It is below the sentence for staff,
 * which may say what the customer must not know; the card then warns of that.
 */
export function SayToCustomer({
  transaction,
  words: { all, first },
}: {
  readonly transaction: AnsweredTransaction & Pick<TransactionDetailsView, 'events'>
  readonly words: TellingWords
}) {
  const words = all.find(({ language }) => language === first) ?? all[0]
  const event = presentStatus(transaction)
  const { say, caution } = customerAnswer(event, words)
  if (say === null) return null
  const found = transaction.events.filter(({ type }) => !isDirection(type))
  const mustNotHear = [caution, ...found.map((event) => customerAnswer(event, words).caution)].find(Boolean)
  return (
    <p className="mt-1.5 text-table">
      <span className="text-muted">
        {words.language === 'en'
          ? 'Tell the customer:'
          : `Tell the customer (${languageInEnglish(words.language)}):`}
      </span>{' '}
      <span lang={words.language}>“{say}”</span>
      {mustNotHear && <span className="text-held"> {mustNotHear}</span>}
      <InEnglish texts={saysIn(event, all)} said={{ language: words.language, text: say }} />
    </p>
  )
}

/** The words for the customer depend on these facts of a transaction. */
export type AnsweredTransaction = RefundFacts & Pick<TransactionDetailsView, 'reason' | 'stuck' | 'turn'>

/** The customer of a transaction is told of its present status. */
export const presentStatus = (transaction: AnsweredTransaction): ShownKind => ({
  type: transaction.direction,
  subType: transaction.step,
  status: customerReason(transaction.reason, transaction.turn),
  turn: transaction.turn,
  flags: transaction.flags,
  stuck: transaction.stuck,
  refund: refundOf(transaction),
})
