/**
 * How somebody signed in. `wallet` and `code`: as a user of the service (§5.2, §5.3). `passkey` and `sso`: as a member
 * of staff. `link`: by a link that this dashboard made.
 */
export const signInMethods = ['wallet', 'code', 'passkey', 'sso', 'link'] as const

export type SignInMethod = (typeof signInMethods)[number]

/** Reads a method from a row; null for one that this version does not know. */
export const parseSignInMethod = (text: string): SignInMethod | null =>
  signInMethods.find((method) => method === text) ?? null
