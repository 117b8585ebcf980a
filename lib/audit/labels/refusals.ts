import type { RefusalWords } from '#lib/platform/labels/refusals.ts'

/** Only staff meet these refusals, so they are in English. */
export const auditRefusals = {
  'chain-check-runs': {
    title: 'The chain is being verified already.',
    next: 'What that finds stands here in a moment: reload the page.',
  },
} as const satisfies Record<string, RefusalWords>
