import { foundNothing } from '#lib/search/found.ts'
import type { LinkedFound } from '#lib/search/search.ts'

/** What a search answers that found nothing. */
export const nothingFound: LinkedFound = {
  ...foundNothing,
  explanation: '',
  text: 'ana',
  link: null,
  lines: null,
}
