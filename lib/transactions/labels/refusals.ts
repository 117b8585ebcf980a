import type { RefusalWords } from '#lib/platform/labels/refusals.ts'

/** Only staff meet these refusals, so they are in English. */
export const transactionsRefusals = {
  'transaction-unknown': {
    title: 'There is no such transaction.',
    next: 'Nothing was kept. Reload the page: its data may have been erased.',
  },
  'note-not-changeable': {
    title: 'This note cannot be changed.',
    next: 'It was removed, or is somebody else’s. Copy what you wrote, then reload the page.',
  },
  'note-not-removable': {
    title: 'This note cannot be removed.',
    next: 'It was removed already, or is somebody else’s. Reload the page to see.',
  },
  'nothing-to-compare': {
    title: 'There is nothing to compare with.',
    next: 'No event of this transaction has given it yet.',
  },
  'body-gone': {
    title: 'The body of this event was removed.',
    next: 'Its retention time is over, or it was erased. The shown fields are kept.',
  },
  'no-birth-date': {
    title: 'The provider gives no date of birth.',
    next: 'It did when the page was loaded. Reload the page.',
  },
} as const satisfies Record<string, RefusalWords>
