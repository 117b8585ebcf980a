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
