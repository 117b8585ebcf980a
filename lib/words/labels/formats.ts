import type { Language } from '#lib/platform/rules/language.ts'

const units = ['bytes', 'kB', 'MB', 'GB', 'TB'] as const

/** "3.4 kB", in powers of a thousand; whole numbers from ten on. */
export function formatBytes(bytes: number): string {
  const power = bytes < 1 ? 0 : Math.min(Math.floor(Math.log10(bytes) / 3), units.length - 1)
  const value = bytes / 1000 ** power
  const shown = value < 10 && power > 0 ? value.toFixed(1) : String(Math.round(value))
  return `${shown} ${units[power]}`
}

/**
 * A length of time for people: `3 s`, `66 s`, `12 min 11 s`, `1 h 8 min`, `2 d 3 h`. Takes seconds, 0 or more. No
 * line ends between a number and its unit.
 */
export function formatDuration(seconds: number): string {
  if (seconds < 1) return `less than ${inUnit(1, 's')}`
  const whole = Math.round(seconds)
  if (whole < 120) return inUnit(whole, 's')
  if (whole < 2 * hour) return two(whole, 60, 'min', 1, 's')
  if (whole < 2 * day) return two(whole, hour, 'h', 60, 'min')
  return two(whole, day, 'd', hour, 'h')
}

/** The same for a terminal, where people search for what they can type. */
export const formatPlainDuration = (seconds: number): string =>
  formatDuration(seconds).replaceAll('\u00a0', ' ')

const hour = 3600
const day = 24 * hour

function two(seconds: number, unit: number, name: string, smallerUnit: number, smallerName: string): string {
  const smaller = Math.floor((seconds % unit) / smallerUnit)
  const big = inUnit(Math.floor(seconds / unit), name)
  return smaller === 0 ? big : `${big} ${inUnit(smaller, smallerName)}`
}

const inUnit = (count: number, unit: string): string => `${count}\u00a0${unit}`

/** An id short enough for a table, `2046967a…d1329` or `0x26D0…8932`; one of up to 15 characters stays whole. */
export function shortId(id: string): string {
  if (id.length <= 15) return id
  return id.startsWith('0x') ? `${id.slice(0, 6)}…${id.slice(-4)}` : `${id.slice(0, 8)}…${id.slice(-5)}`
}

/** Words for the middle of a sentence: with a small letter, unless they are a name in capitals that only the service knows. */
export const inSentence = (words: string): string =>
  /^[A-Z][a-z]/.test(words) ? `${words.charAt(0).toLowerCase()}${words.slice(1)}` : words

export const counted = (count: number, one: string, many: string): string =>
  `${count.toLocaleString('en')} ${count === 1 ? one : many}`

/** The name of a country by its ISO 3166-1 code, in this language; what is no code is shown as it is. */
export function countryName(code: string, language = 'en'): string {
  return /^[A-Z]{2}$/.test(code)
    ? (new Intl.DisplayNames(language, { type: 'region' }).of(code) ?? code)
    : code
}

const names = new Intl.DisplayNames('en', { type: 'language' })

/** A language in a sentence for staff: "Spanish". */
export const languageInEnglish = (language: Language): string => names.of(language) ?? language

/**
 * What the file of a list is called: what it holds, which of it, and when it was made, in characters that every system takes:
 * `transactions-on-hold-eur-20261122T1830Z`.
 * @param said what was filtered by; what is no text was not
 */
export function exportFileName(what: string, said: readonly unknown[], now: number): string {
  const made = `${new Date(now).toISOString().slice(0, 16).replace(/[-:]/g, '')}Z`
  const parts = said
    .filter((part) => typeof part === 'string')
    .map(plain)
    .filter((part) => part !== '')
  return [what, ...parts].join('-').slice(0, 120).replace(/-+$/, '').concat(`-${made}`)
}

const plain = (text: string) =>
  text
    .replace(/([a-z])([A-Z])/g, '$1-$2')
    .toLowerCase()
    .replace(/[^a-z0-9.]+/g, '-')
    .replace(/^-+|-+$/g, '')
