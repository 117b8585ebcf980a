import type { RefusalWords } from '#lib/platform/labels/refusals.ts'

/** Only staff meet these refusals, so they are in English. */
export const operationsRefusals = {
  'not-muted': {
    title: 'This is not muted any more.',
    next: 'Somebody else unmuted it. Reload the page to see it.',
  },
  'no-mail-server': {
    title: 'No mail server is set.',
    next: 'Nothing was sent. Set SMTP_URL and MAIL_FROM, and start Rampart again.',
  },
} as const satisfies Record<string, RefusalWords>
