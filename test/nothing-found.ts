import { foundNothing } from '#lib/search/found.ts'
import type { LinkedFound } from '#lib/search/search.ts'

export const nothingFound: LinkedFound = {
  ...foundNothing,
  explanation: '',
  text: 'ana',
  link: null,
  lines: null,
}
