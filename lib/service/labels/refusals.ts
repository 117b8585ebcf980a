import type { RefusalWords } from '#lib/platform/labels/refusals.ts'

/** Only staff call these operations, so their refusals are in English. */
export const serviceRefusals = {
  'endpoint-not-created': { title: 'The endpoint was not created.', next: '{cause} {remedy} {asks}' },
  'endpoint-maybe-created': {
    title: 'The endpoint may have been created all the same.',
    next: '{cause} Look for its address in the list of endpoints before you create it again. {asks}',
  },
  'new-endpoint-invalid': {
    title: 'The endpoint was not created.',
    next: 'The provider refused its address, its description or one of its events. Check them and try again. {asks}',
  },
  'merchant-not-read': {
    title: 'The merchant’s configuration could not be read.',
    next: '{cause} {remedy} {asks}',
  },
  'token-not-made': { title: 'No share token was made.', next: '{cause} {remedy} {asks}' },
  'token-maybe-made': {
    title: 'A share token may have been made, and was lost.',
    next: '{cause} It cannot be read again: make another when you need one. {asks}',
  },
  'token-user-unknown': {
    title: 'The provider does not know this user.',
    next: 'Check the uuid; no token was made. {asks}',
  },
  'endpoints-not-read': { title: 'The endpoints could not be read.', next: '{cause} {remedy} {asks}' },
  'endpoint-not-read': { title: 'The endpoint could not be read.', next: '{cause} {remedy} {asks}' },
  'endpoint-not-changed': { title: 'The endpoint was not changed.', next: '{cause} {remedy} {asks}' },
  'endpoint-maybe-changed': {
    title: 'The endpoint may have been changed all the same.',
    next: '{cause} Reload the page to see how it is now, before you change it again. {asks}',
  },
  'endpoint-change-invalid': {
    title: 'The endpoint was not changed.',
    next: 'The provider refused its address, its state or one of its events. Check them and try again. {asks}',
  },
  'endpoint-deleted': {
    title: 'This endpoint no longer exists.',
    next: 'The provider does not know it. Go back to the list of endpoints. {asks}',
  },
  'secret-not-rotated': {
    title: 'The secret was not rotated; the present one stays valid.',
    next: '{cause} {remedy} {asks}',
  },
  'secret-maybe-rotated': {
    title: 'The secret may have been rotated, and the new one was lost.',
    next: '{cause} Rotate once more: until then deliveries may carry a secret that nobody here knows. {asks}',
  },
  'secret-for-here-missing': {
    title: 'It points here now; its secret is still missing.',
    next: '{cause} Repair it on its page: until then its deliveries are answered so that they come again. {asks}',
  },
  'endpoint-not-deleted': { title: 'The endpoint was not deleted.', next: '{cause} {remedy} {asks}' },
  'endpoint-maybe-deleted': {
    title: 'The endpoint may have been deleted all the same.',
    next: '{cause} Look at the list of endpoints before you try again. {asks}',
  },
} as const satisfies Record<string, RefusalWords>
