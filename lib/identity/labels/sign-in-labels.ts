import type { SignInMethod } from '../rules/sign-in.ts'

export const signInMethodLabels = {
  wallet: 'Wallet',
  code: 'E-mail code',
  passkey: 'Passkey',
  sso: 'Single sign-on',
  link: 'Link',
} as const satisfies Record<SignInMethod, string>

/** The header names neither a browser nor a system. */
export const unknownDevice = 'Unknown device'

/**
 * A `User-Agent` header becomes "Firefox on Windows", as far as it names browser and system, so that people recognise it.
 */
export function deviceLabel(userAgent: string | null): string {
  if (!userAgent) return unknownDevice
  const browser = nameIn(browsers, userAgent)
  const system = nameIn(systems, userAgent)
  if (browser && system) return `${browser} on ${system}`
  return browser ?? system ?? unknownDevice
}

const nameIn = (names: readonly (readonly [RegExp, string])[], text: string) =>
  names.find(([pattern]) => pattern.test(text))?.[1]

/** Most browsers name others too, so the order decides. */
const browsers = [
  [/\bEdgA?\/|EdgiOS\//, 'Edge'],
  [/\bOPR\//, 'Opera'],
  [/SamsungBrowser\//, 'Samsung Internet'],
  [/Firefox\/|FxiOS\//, 'Firefox'],
  [/Chrome\/|CriOS\//, 'Chrome'],
  [/Safari\//, 'Safari'],
] as const

const systems = [
  [/iPhone/, 'iPhone'],
  [/iPad/, 'iPad'],
  [/Android/, 'Android'],
  [/Windows/, 'Windows'],
  [/Mac OS X|Macintosh/, 'macOS'],
  [/CrOS/, 'ChromeOS'],
  [/Linux/, 'Linux'],
] as const

interface WaysToSignIn {
  readonly passkeys: number
  readonly singleSignOn: boolean
  /** The member has an account at the service. */
  readonly account: boolean
}

/** The text lists the ways in which a member can sign in. */
export function waysToSignIn({ passkeys, singleSignOn, account }: WaysToSignIn): string {
  const ways = [
    passkeys === 0 ? null : passkeys === 1 ? 'Passkey' : `${passkeys} passkeys`,
    singleSignOn ? 'single sign-on' : null,
    account ? 'account at the provider' : null,
  ].filter((way) => way !== null)
  const text = ways.join(', ')
  return text === '' ? 'None yet' : text.charAt(0).toUpperCase() + text.slice(1)
}
