import { cleanText } from '#lib/platform/rules/pasted-text.ts'
import { longestPause, shortestPause } from './pauses.ts'
import { readLines } from './read-lines.ts'
import { isSearchable, readQuery, wholeNumberIn } from './read-query.ts'

/** How a text of a search box is understood. */
export interface Understood {
  /** Whether there is anything to look for. */
  readonly searchable: boolean
  readonly explanation: string
  /** How long to wait after the last key before it is looked for. Milliseconds. */
  readonly pause: number
}

/** Of a paste each line is looked for. */
export function understand(typed: string): Understood {
  const text = cleanText(typed)
  const pasted = readLines(text)
  const reading = readQuery(text)
  const isLonger = wholeNumberIn(text) !== null || reading.customerNumber !== undefined
  const pause = isLonger ? longestPause : shortestPause
  if (pasted) return { searchable: true, explanation: linesLabel(pasted.lines.length, pasted.left), pause }
  return { searchable: isSearchable(reading), explanation: reading.explanation, pause }
}

/** "The first 100 of 130 lines". */
export const linesLabel = (count: number, left: number): string =>
  left === 0 ? `${count} lines` : `The first ${count} of ${count + left} lines`
