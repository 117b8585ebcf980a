import type { Total } from '#lib/platform/paging/paging.ts'
import { waitingWords } from '../live/waiting-words.ts'
import { type Noun, totalLabel } from '../shared/total-label.ts'

/** The text is "13 companies, 1 waits above". */
export function totalWaiting(total: Total, noun: Noun, waiting: number): string {
  const label = totalLabel(total, noun)
  return waiting > 0 ? `${label}, ${waitingWords(waiting)} above` : label
}
