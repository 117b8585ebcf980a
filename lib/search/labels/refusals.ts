import type { RefusalWords } from '#lib/platform/labels/refusals.ts'

/** Only staff meet these refusals, so they are in English. */
export const searchRefusals = {
  'lines-unknown': {
    title: 'This search link is not known here.',
    next: 'Nothing was exported. Paste the lines again.',
  },
  'search-unknown': {
    title: 'This search link is not known here.',
    next: 'Nothing was exported. Search again, then export.',
  },
  /** A search that matches more ids than are read gives no complete file. */
  'search-cut-off': {
    title: 'This search has too many matches.',
    next: 'The file is incomplete. Type more of the text, or set a filter.',
  },
  'search-too-slow': {
    title: 'This search takes too long.',
    next: 'Type more of the text, or paste fewer lines.',
  },
  'account-numbers-spent': {
    title: 'You have reached the daily limit of account numbers.',
    next: 'Wait {wait}, then try again. You can still search for everything else.',
  },
  'account-numbers-left-later': {
    title: 'These are more account numbers than the daily limit allows.',
    next: 'Paste at most {left} of them, or wait {wait}.',
  },
  'account-numbers-left': {
    title: 'These are more account numbers than the daily limit allows.',
    next: 'Paste at most {left} of them.',
  },
} as const satisfies Record<string, RefusalWords>
