import { isDirection } from '#lib/deliveries/rules/steps.ts'
import { customerAnswer } from '#lib/timeline/labels/event-answers.ts'
import type { TransactionDetailsView } from '#lib/transactions/transaction-details-view.ts'
import { languageInEnglish } from '#lib/words/labels/language-in-english.ts'
import type { TellingWords } from './tell-customer.tsx'

/**
 * What to read aloud to the customer of a transaction, in their language, below the sentence for staff, which may name what the
 * customer must not know; then that is said too.
 */
export function SayToCustomer({
  transaction: { direction, step, reason, flags, stuck, events },
  words: { all, first },
}: {
  readonly transaction: Pick<
    TransactionDetailsView,
    'direction' | 'step' | 'reason' | 'flags' | 'stuck' | 'events'
  >
  readonly words: TellingWords
}) {
  const words = all.find(({ language }) => language === first) ?? all[0]
  const { say, caution } = customerAnswer(
    { type: direction, subType: step, status: reason, flags, stuck },
    words,
  )
  if (say === null) return null
  const found = events.filter(({ type }) => !isDirection(type))
  const mustNotHear = [caution, ...found.map((event) => customerAnswer(event, words).caution)].find(Boolean)
  return (
    <p className="mt-1.5 text-table">
      <span className="text-muted">
        {words.language === 'en' ? 'Say:' : `Say in ${languageInEnglish(words.language)}:`}
      </span>{' '}
      <span lang={words.language}>“{say}”</span>
      {mustNotHear && <span className="text-held"> {mustNotHear}</span>}
    </p>
  )
}
