import type { RefusalWords } from '#lib/platform/labels/refusals.ts'

/** Only staff meet these refusals, so they are in English. */
export const operationsRefusals = {
  'not-muted': {
    title: 'This is not snoozed any more.',
    next: 'Somebody else ended the snooze. Reload the page to see it.',
  },
  'no-mail-server': {
    title: 'No mail server is set.',
    next: 'Nothing was sent. Set SMTP_URL and MAIL_FROM, and start Rampart again.',
  },
  'alert-not-open': {
    title: 'This alert cannot be acknowledged.',
    next: 'It is resolved, or somebody else acknowledged it. Reload the page.',
  },
  'alert-not-acknowledged': {
    title: 'This alert is not acknowledged.',
    next: 'It is resolved, or somebody else took it back. Reload the page.',
  },
  'too-many-channels': {
    title: 'There are 20 channels already.',
    next: 'Nothing was added. Remove one first.',
  },
  'channel-unknown': {
    title: 'There is no such channel.',
    next: 'Nothing was changed. Somebody may have removed it: reload the page.',
  },
  'channel-not-readable': {
    title: 'The address of this channel cannot be read.',
    next: 'Nothing was sent. Its key is gone from RAMPART_KEYS: enter the address again.',
  },
  'no-own-address': {
    title: 'You have no e-mail address here.',
    next: 'Nothing was sent. An admin can see the addresses of members on the page Team.',
  },
} as const satisfies Record<string, RefusalWords>
