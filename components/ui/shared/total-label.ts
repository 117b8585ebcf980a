import type { Total } from '#lib/platform/paging/paging.ts'
import { inSentence } from '#lib/words/labels/formats.ts'

/** A noun is given for one thing of a list, and for many. */
export type Noun = readonly [one: string, many: string]

const transactions: Noun = ['transaction', 'transactions']

/**
 * The label is "1 transaction", "About 41,000 transactions", "More than 1,000 accounts" or "At least 14
 * transactions".
 */
export const totalLabel = (total: Total, [one, many] = transactions): string =>
  `${totalNumber(total)} ${total.count === 1 ? one : many}`

/** The number is "1", "About 41,000", "More than 1,000" or "At least 14". */
export function totalNumber({ count, exact, atLeast }: Total): string {
  const how = exact ? '' : atLeast ? (count < 1_000 ? 'At least ' : 'More than ') : 'About '
  return `${how}${new Intl.NumberFormat('en').format(count)}`
}

/** A link to all has the label "All 45 transactions" or "All of more than 1,000 transactions". */
export function allLabel(total: Total): string {
  const label = totalLabel(total)
  return total.exact ? `All ${label}` : `All of ${inSentence(label)}`
}

/** The text is "13 companies, 1 waits above". */
export function totalWaiting(total: Total, noun: Noun, waiting: number): string {
  const label = totalLabel(total, noun)
  return waiting > 0 ? `${label}, ${waitingWords(waiting)} above` : label
}

/**
 * The words say how many transactions, people and accounts have changes that are held back; null when that is
 * unknown.
 */
export const waitingWords = (waiting: number | null): string =>
  waiting === null ? 'many wait' : `${waiting.toLocaleString('en')} ${waiting === 1 ? 'waits' : 'wait'}`
