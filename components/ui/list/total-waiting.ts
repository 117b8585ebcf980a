import type { Total } from '#lib/platform/paging/paging.ts'
import { waitingWords } from '../live/waiting-words.ts'
import type { Noun } from '../shared/total-label.ts'

/** The text is "13 companies, 1 waits above". */
export function totalWaiting({ count, exact }: Total, [one, many]: Noun, waiting: number): string {
  const counted = `${exact ? '' : 'More than '}${count.toLocaleString('en')} ${count === 1 ? one : many}`
  return waiting > 0 ? `${counted}, ${waitingWords(waiting)} above` : counted
}
