import 'server-only'

/** What next-auth is let answer. A test holds each of them against the table of all entries. */
export const openRequests: ReadonlySet<string> = new Set([
  'GET csrf',
  'POST callback/wallet',
  'POST callback/code',
  'POST callback/passkey',
  'POST signout',
])
