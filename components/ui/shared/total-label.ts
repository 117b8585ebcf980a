import type { Total } from '#lib/platform/paging/paging.ts'
import { inSentence } from '#lib/words/labels/formats.ts'

/** A noun is given for one thing of a list, and for many. */
export type Noun = readonly [one: string, many: string]

const transactions: Noun = ['transaction', 'transactions']

/**
 * The label is "1 transaction", "About 41,000 transactions", "More than 1,000 accounts" or "At least 14
 * transactions".
 */
export function totalLabel({ count, exact, atLeast }: Total, [one, many] = transactions): string {
  const number = new Intl.NumberFormat('en').format(count)
  const how = exact ? '' : atLeast ? (count < 1_000 ? 'At least ' : 'More than ') : 'About '
  return `${how}${number} ${count === 1 ? one : many}`
}

/** A link to all has the label "All 45 transactions" or "All of more than 1,000 transactions". */
export function allLabel(total: Total): string {
  const label = totalLabel(total)
  return total.exact ? `All ${label}` : `All of ${inSentence(label)}`
}
