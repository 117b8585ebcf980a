import type { RefusalReason } from '#lib/deliveries/rules/refusal-reasons.ts'

/** Why one request was not taken, in two or three words. */
export const answerLabels = {
  'wrong-secret': 'Another secret',
  'no-authorization': 'No Authorization',
  'other-scheme': 'Another Authorization',
  'too-large': 'More than 1 MiB',
  encoded: 'Unreadable compression',
  'unknown-receiver': 'Closed address',
  'secret-not-known-yet': 'Secret not known yet',
  'secret-not-checkable': 'Secret not checkable',
  'queue-full': 'Too many waiting',
  'too-late': 'Not stored in time',
  'no-memory': 'No memory left',
  database: 'Database away',
  'too-slow': 'Came too slowly',
  'broken-off': 'Broke off',
  'wrong-method': 'No delivery',
} as const satisfies Record<RefusalReason, string>
