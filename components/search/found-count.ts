import { totalNumber } from '#components/ui/shared/total-label.ts'
import type { Found } from '#lib/search/found.ts'
import type { FoundLine } from '#lib/search/search.ts'
import { inSentence } from '#lib/words/labels/formats.ts'

/**
 * The text says how much was found: "one person", "more than 1,000 matches", "nothing found", "nothing found so
 * far".
 */
export function foundCount(found: Found): string {
  const count = found.named.length + found.rows.length
  if (count > 0) return `${howMany(found, count)} ${count === 1 ? 'match' : 'matches'}`
  const beside = [
    ...countText(found.people.length, 'person', 'people'),
    ...countText(found.endpoints.length, 'endpoint', 'endpoints'),
  ]
  return beside.length > 0 ? beside.join(', ') : found.scannedTo ? 'nothing found so far' : 'nothing found'
}

/** The text is about a paste of several lines: "all found", "38 found". */
export function linesFoundCount(lines: readonly FoundLine[]): string {
  const found = lines.filter(({ subject, person }) => subject ?? person)
  return `${found.length === lines.length ? 'all' : found.length} found`
}

/** The text is "one person" or "3 endpoints"; nothing for zero. */
const countText = (count: number, one: string, many: string): string[] =>
  count === 0 ? [] : [count === 1 ? `one ${one}` : `${count} ${many}`]

function howMany({ total, next, cut }: Found, count: number): string {
  // A page can read further than the count did.
  if (total && !(total.atLeast && total.count < count)) return inSentence(totalNumber(total))
  return next || cut ? `more than ${count}` : String(count)
}
