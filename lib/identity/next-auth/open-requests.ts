import 'server-only'

/** next-auth may answer only these requests. A test compares each of them with the table of all entries. */
export const openRequests: ReadonlySet<string> = new Set([
  'GET csrf',
  'POST callback/wallet',
  'POST callback/code',
  'POST callback/passkey',
  'POST signout',
])
