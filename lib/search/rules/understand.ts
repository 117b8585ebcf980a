import { cleanText } from '#lib/platform/rules/pasted-text.ts'
import { longestPause, shortestPause } from './limits.ts'
import { readLines } from './read-lines.ts'
import { isSearchable, readQuery, wholeNumberIn } from './read-query.ts'

/** `Understood` says how the text of a search box is read. */
export interface Understood {
  /** True when there is something to search. */
  readonly searchable: boolean
  readonly explanation: string
  /** The search waits for this many milliseconds after the last key. */
  readonly pause: number
}

/** Each line of a paste is searched. */
export function understand(typed: string): Understood {
  const text = cleanText(typed)
  const pasted = readLines(text)
  const reading = readQuery(text)
  const isLonger = wholeNumberIn(text) !== null || reading.customerNumber !== undefined
  const pause = isLonger ? longestPause : shortestPause
  if (pasted) return { searchable: true, explanation: linesLabel(pasted.lines.length, pasted.left), pause }
  return { searchable: isSearchable(reading), explanation: reading.explanation, pause }
}

/** The label reads "The first 100 of 130 lines". */
export const linesLabel = (count: number, left: number): string =>
  left === 0 ? `${count} lines` : `The first ${count} of ${count + left} lines`
