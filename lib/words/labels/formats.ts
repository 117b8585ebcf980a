import type { Language } from '#lib/platform/rules/language.ts'

/** An id is shortened for tables: `2046967a…d1329` or `0x26D0…8932`. An id of up to 15 characters stays whole. */
export function shortId(id: string): string {
  if (id.length <= 15) return id
  return id.startsWith('0x') ? `${id.slice(0, 6)}…${id.slice(-4)}` : `${id.slice(0, 8)}…${id.slice(-5)}`
}

/** Words inside a sentence begin with a small letter. A name in capitals, which only the service uses, stays as it is. */
export const inSentence = (words: string): string =>
  /^[A-Z][a-z]/.test(words) ? `${words.charAt(0).toLowerCase()}${words.slice(1)}` : words

export const counted = (count: number, one: string, many: string): string =>
  `${count.toLocaleString('en')} ${count === 1 ? one : many}`

/** The text looks like "99.9 %", with at most one decimal. It says 0 only of none and 100 only of all. */
export function formatShare(part: number, whole: number): string {
  if (whole === 0) return '–'
  const share = (part / whole) * 100
  const shown = part > 0 && part < whole ? Math.min(Math.max(share, 0.1), 99.9) : share
  return `${shown.toLocaleString('en', { maximumFractionDigits: 1 })}\u00a0%`
}

const units = ['bytes', 'kB', 'MB', 'GB', 'TB'] as const

/** The text looks like "3.4 kB", in powers of a thousand. It has no decimals from ten on. */
export function formatBytes(bytes: number): string {
  const power = bytes < 1 ? 0 : Math.min(Math.floor(Math.log10(bytes) / 3), units.length - 1)
  const value = bytes / 1000 ** power
  const shown = value < 10 && power > 0 ? value.toFixed(1) : String(Math.round(value))
  return `${shown} ${units[power]}`
}

/** The name is that of a country by its ISO 3166-1 code, in this language. A text that is no code is returned unchanged. */
export function countryName(code: string, language = 'en'): string {
  return /^[A-Z]{2}$/.test(code)
    ? (new Intl.DisplayNames(language, { type: 'region' }).of(code) ?? code)
    : code
}

const names = new Intl.DisplayNames('en', { type: 'language' })

/** The name of a language for a sentence to staff looks like "Spanish". */
export const languageInEnglish = (language: Language): string => names.of(language) ?? language

/**
 * The file name of an exported list says what the list contains, how it is filtered and when it was made. Every system
 * accepts its characters: `transactions-on-hold-eur-20261122T1830Z`.
 * @param said the filters of the list; a filter that is no text is not set
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
