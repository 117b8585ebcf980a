import type { CleanText } from '#lib/platform/rules/pasted-text.ts'

/**
 * `wallet` and `code` sign in a user of the service (§5.2, §5.3). `passkey` and `sso` sign in a member of
 * staff. `link` is a link that this dashboard made.
 */
const signInMethods = ['wallet', 'code', 'passkey', 'sso', 'link'] as const

export type SignInMethod = (typeof signInMethods)[number]

/** The method is read from a row; null for one that this version does not know. */
export const parseSignInMethod = (text: string): SignInMethod | null =>
  signInMethods.find((method) => method === text) ?? null

/** A refusal is one of a closed set, because next-auth puts the code into an address. */
export const signInRefusals = [
  'message-unknown',
  'message-used',
  'message-expired',
  'message-refused',
  'wallet-refused',
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
  'no-cookies',
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
  'sso-incomplete',
  'sso-certificate',
  'sso-client',
  'sso-scope',
  'sso-pushed',
  'sso-question',
  'sso-asks-not-again',
  'sso-encrypted',
  'sso-algorithm',
  'sso-claim',
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

/**
 * Only the audit has these reasons. They would reveal who has an account: the wallet of a sign-up is unproven when the
 * sign-up made one, and unknown when somebody had the address.
 */
const walletReasons = ['wrong-wallet', 'unknown-wallet', 'wallet-unproven'] as const

/** The reason of a refusal is more exact than the refusal that the person reads. */
export type SignInReason = SignInRefusal | (typeof walletReasons)[number]

export const refusalFor = (why: SignInReason): SignInRefusal => (isOfWallet(why) ? 'wallet-refused' : why)

const isOfWallet = (why: SignInReason): why is (typeof walletReasons)[number] =>
  walletReasons.some((reason) => reason === why)

/** These problems of a code become known only after the page said that it is on its way. */
export type CodeDeliveryProblem = SignInRefusal | 'bounced'

/** The code comes from an address or from next-auth's answer; anything else reads as `went-wrong`. */
export const readSignInRefusal = (text: string | null | undefined): SignInRefusal =>
  signInRefusals.find((refusal) => refusal === text) ?? 'went-wrong'

/**
 * next-auth answers with an address: null when the browser is signed in. It leads back to the sign-in page without an error
 * where its cookie against forged requests was missing.
 */
export function readSignInAnswer({ searchParams }: URL): SignInRefusal | null {
  if (searchParams.has('csrf')) return 'no-cookies'
  const error = searchParams.get('error')
  return error === null ? null : readSignInRefusal(error)
}

/**
 * These refusals concern the account that the person has at the provider. They may have another one there, so the
 * next request asks for it.
 */
const ofAccount: ReadonlySet<SignInRefusal> = new Set([
  'sso-declined',
  'sso-no-role',
  'sso-not-invited',
  'sso-removed',
  'sso-last-admin',
  'sso-known-address',
])

export const asksForAnother = (refusal: SignInRefusal): boolean => ofAccount.has(refusal)

/**
 * The code is found in the pasted text: "Your code: 361-836." is 361836. Null for a text without a code, or
 * with two: then the service is not asked, and no guess is used up.
 */
export function readCode(text: CleanText): string | null {
  const pasted = text
    .replace(/^["'`([{<=]+|["'`)\]}>.,;:!?=]+$/g, '')
    .replace(/^[Nn](?:o|r|°)[.:]? ?(?=\d)/, '')
  if (/^\d[\d .,\-_/]*$/.test(pasted)) return readDigits(pasted)
  const labelled = /^(?:code|otp|pin|tan)[:=#-]?(\d{4,12})$/i.exec(pasted)?.[1]
  if (labelled !== undefined) return labelled
  if (/^[\da-z-]+$/i.test(pasted)) return pasted
  const numbers = (pasted.match(number) ?? []).map((one) => one.replace(/\D/g, ''))
  const usual = numbers.filter(isUsual)
  const joined = numbers.length > 0 ? [] : (pasted.match(/(?<!\d)\d{6}(?!\d)/g) ?? [])
  if (joined.length > 0) return onlyOne(joined)
  const words = numbers.length > 0 ? [] : pasted.split(/[\s"':;,.()<>]+/).filter((word) => mixed.test(word))
  return onlyOne(new Set(usual).size === 1 ? usual : [...numbers, ...words])
}

/** A day, an hour or the code once more may stand beside the code. */
function readDigits(pasted: string): string | null {
  if (oneNumber.test(pasted) && !fourTwice.test(pasted)) return onlyOne([pasted.replace(/\D/g, '')])
  const runs = pasted.match(/\d+/g) ?? []
  return new Set(runs).size === 1 && !fourTwice.test(pasted) ? onlyOne(runs) : onlyOne(runs.filter(isUsual))
}

/** The digits are together, or in groups of one length with one sign between them. */
const oneNumber =
  /^(?:\d+|\d([ .,\-_/]{1,3})\d(?:\1\d)*|\d{2}([ .,\-_/]{1,3})\d{2}\2\d{2}|\d{3}[ .,\-_/]{1,3}\d{3}|\d{4}[ .,\-_/]{1,3}\d{4})$/

/** This may be a code of four digits twice, or one of eight. */
const fourTwice = /^(\d{4})\D+\1$/

const isUsual = ({ length }: string) => length === 6

/** The digits are together, or in groups of the same length, with no more groups beside them. */
const number =
  /(?<![\p{L}\p{N}]|[\p{L}\p{N}][.,-])(?:\d{4,12}|(?<!\d[ _/])(?:\d{2}([ .\-_/])\d{2}\1\d{2}|\d{3}[ .\-_/]\d{3}|\d{4}[ .\-_/]\d{4})(?![ _/]\d))(?![\p{L}\p{N}]|[.,-]\d)/gu

const mixed = /^(?=.*\d)(?=.*[a-z])[\da-z-]{4,}$/i

/** Nobody sends a shorter code. */
const shortest = 4

/** A code may be repeated. */
function onlyOne(found: readonly string[]): string | null {
  const [one, another] = new Set(found)
  return one !== undefined && another === undefined && one.length >= shortest ? one : null
}
