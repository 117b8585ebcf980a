import { readLines } from '#lib/domain/search/read-lines.ts'
import { isSearchable, readQuery } from '#lib/domain/search/read-query.ts'

/** How a text of the search box is understood. */
export interface Understood {
  /** Whether there is anything to look for. */
  readonly searchable: boolean
  readonly explanation: string
}

/** Of a paste each line is looked for. */
export function understand(text: string): Understood {
  const pasted = readLines(text)
  if (!pasted) {
    const reading = readQuery(text)
    return { searchable: isSearchable(reading), explanation: reading.explanation }
  }
  const { lines, left } = pasted
  const explanation =
    left === 0 ? `${lines.length} lines` : `The first ${lines.length} of ${lines.length + left} lines`
  return { searchable: true, explanation }
}
