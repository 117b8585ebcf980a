/** A person reads what happened, and what to do next. The braces of a text are for values. */
export interface RefusalWords {
  readonly title: string
  readonly next: string
}

/** No page shows these refusals to a customer, so they are in English. */
export const platformRefusals = {
  'not-signed-in': { title: 'Sign in.', next: 'Then try again.' },
  'sign-in-again': { title: 'Sign in again.', next: 'Then try again.' },
  'cursor-refused': {
    title: 'This page of the list cannot be found. Its address was changed, or belongs to another order.',
    next: 'Begin at the top of the list.',
  },
  'invalid-input': { title: 'Some of the input is not valid.', next: 'Correct it and try again.' },
  'public-url-not-secure': {
    title: 'The provider delivers to https addresses only.',
    next: 'Nothing was changed. Set PUBLIC_URL to the https address of this dashboard, start it again, and repeat this.',
  },
  'keys-wrong': {
    title: 'The key of this server ({keys}) is not the one of this database.',
    next: 'Nothing was changed. Put the earlier value back into RAMPART_KEYS, or, if it is lost, a new key with another ID in front; start Rampart again, and repeat this.',
  },
} as const satisfies Record<string, RefusalWords>
