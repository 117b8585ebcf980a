/**
 * How somebody signed in. `wallet` and `code`: as a user of the service (§5.2, §5.3). `passkey` and `sso`: as a member
 * of staff. `link`: by a link that this dashboard made.
 */
const signInMethods = ['wallet', 'code', 'passkey', 'sso', 'link'] as const

export type SignInMethod = (typeof signInMethods)[number]

/** Reads a method from a row; null for one that this version does not know. */
export const parseSignInMethod = (text: string): SignInMethod | null =>
  signInMethods.find((method) => method === text) ?? null

/** Why somebody was not signed in: a closed set, because next-auth puts the code into an address. */
export const signInRefusals = [
  'message-unknown',
  'message-used',
  'message-expired',
  'message-refused',
  'wrong-wallet',
  'unknown-wallet',
  'wallet-unproven',
  'account-erased',
  'smart-account',
  'signature-unreadable',
  'clocks-differ',
  'code-refused',
  'code-elsewhere',
  'code-used-up',
  'strangers-stopped',
  'another-user',
  'too-many',
  'service-busy',
  'service-unavailable',
  'key-refused',
  'other-person',
  'passkey-unknown',
  'passkey-other-origin',
  'passkey-other-browser',
  'passkey-used',
  'passkey-expired',
  'passkey-of-another',
  'passkey-copied',
  'passkey-unverified',
  'passkey-refused',
  'sso-unknown',
  'sso-expired',
  'sso-declined',
  'sso-provider-down',
  'sso-issuer',
  'sso-certificate',
  'sso-client',
  'sso-scope',
  'sso-pushed',
  'sso-question',
  'sso-asks-not-again',
  'sso-encrypted',
  'sso-algorithm',
  'sso-refused',
  'sso-not-again',
  'sso-no-role',
  'sso-role-not-sent',
  'sso-role-unreadable',
  'sso-issuer-moved',
  'sso-not-invited',
  'sso-removed',
  'sso-last-admin',
  'sso-known-address',
  'sso-link-gone',
  'went-wrong',
] as const

export type SignInRefusal = (typeof signInRefusals)[number]

/** What can become known of a code only after it was said to be on its way. */
export type CodeDeliveryProblem = SignInRefusal | 'bounced'

/** Reads a code from an address or from next-auth's answer; anything else reads as `went-wrong`. */
export const readSignInRefusal = (text: string | null | undefined): SignInRefusal =>
  signInRefusals.find((refusal) => refusal === text) ?? 'went-wrong'

/** Refusals of whoever the provider named: they may have another account there, so the next question asks for one. */
const ofAccount: ReadonlySet<SignInRefusal> = new Set([
  'sso-no-role',
  'sso-not-invited',
  'sso-removed',
  'sso-last-admin',
  'sso-known-address',
])

export const asksForAnother = (refusal: SignInRefusal): boolean => ofAccount.has(refusal)
