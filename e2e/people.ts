import path from 'node:path'

/** Where the sign-in of a demo person is kept for the tests that only look at pages. */
export const stateOf = (email: string) =>
  path.join(import.meta.dirname, '../test-results/people', `${email}.json`)
