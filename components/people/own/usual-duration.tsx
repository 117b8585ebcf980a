import type { UsualDuration } from '#lib/people/own/read-usual-duration.ts'
import type { CustomerWords } from '#lib/words/labels/customer-labels.ts'
import { formatSpan } from '#lib/words/labels/format-span.ts'

/** How long others took, for whoever waits for one that is under way. */
export const UsualDurationNote = ({
  words,
  usual: { usualSeconds, mostSeconds, count },
}: {
  readonly words: CustomerWords
  readonly usual: UsualDuration
}) => (
  <p className="mt-2 text-muted text-table">
    {words('account.usually', {
      usual: formatSpan(usualSeconds, words.language),
      most: formatSpan(mostSeconds, words.language),
    })}{' '}
    {words('account.usuallyFrom', { count })}
  </p>
)
