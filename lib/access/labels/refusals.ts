import type { RefusalWords } from '#lib/platform/labels/refusals.ts'

/** Only staff meet these refusals, so they are in English. */
export const accessRefusals = {
  'no-account': {
    title: 'You have no account at the payment provider.',
    next: 'You are signed in as a member of the team, who needs none. What belongs to a customer is on that customer’s page.',
  },
  'changed-meanwhile': {
    title: 'Somebody else has changed this meanwhile.',
    next: 'Nothing was saved. Reload the page, then make your change again.',
  },
  'nothing-to-change': {
    title: 'Nothing to change.',
    next: 'Everything is as it was. Change something first, or close the form.',
  },
} as const satisfies Record<string, RefusalWords>
