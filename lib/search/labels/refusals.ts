import type { RefusalWords } from '#lib/platform/labels/refusals.ts'

/** Only staff meet these refusals, so they are in English. */
export const searchRefusals = {
  'lines-unknown': {
    title: 'This link stands for no search that is known here.',
    next: 'Nothing was exported. Paste the lines again.',
  },
  'search-unknown': {
    title: 'This link stands for no search that is known here.',
    next: 'Nothing was exported. Search again, then export.',
  },
  /** A search that matches more ids than are read gives no complete file. */
  'search-cut-off': {
    title: 'The search matches more than is looked at.',
    next: 'The file is not whole. Type more of what is looked for, or set a filter.',
  },
  'search-too-slow': {
    title: 'This search takes too long.',
    next: 'Type more of what you look for, or paste fewer lines.',
  },
  'account-numbers-spent': {
    title: 'You have looked for as many account numbers as one person may in a day.',
    next: 'Wait {wait}, then try again. Everything but account numbers can be searched for meanwhile.',
  },
  'account-numbers-left-later': {
    title: 'These are more account numbers than one person may look for in a day.',
    next: 'Paste at most {left} of them, or wait {wait}.',
  },
  'account-numbers-left': {
    title: 'These are more account numbers than one person may look for in a day.',
    next: 'Paste at most {left} of them.',
  },
} as const satisfies Record<string, RefusalWords>
