import { type Language, localeOf } from '#lib/platform/rules/language.ts'

/**
 * `formatDuration` writes a duration for people: `3 s`, `66 s`, `12 min 11 s`, `1 h 8 min`, `2 d 3 h`. It takes seconds, 0
 * or more. No line break separates a number from its unit.
 */
export function formatDuration(seconds: number): string {
  if (seconds < 1) return `less than ${inUnit(1, 's')}`
  const whole = Math.round(seconds)
  if (whole < 120) return inUnit(whole, 's')
  if (whole < 2 * hour) return two(whole, 60, 'min', 1, 's')
  if (whole < 2 * day) return two(whole, hour, 'h', 60, 'min')
  return two(whole, day, 'd', hour, 'h')
}

/** Terminals get ordinary spaces, so that people can search for the text. */
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

/**
 * `formatSpan` writes a duration for customers: `48 s` in English, `1 Std., 8 Min.` in German. It takes seconds, 0 or more.
 */
export function formatSpan(seconds: number, language: Language): string {
  if (language === 'en') return formatDuration(seconds)
  if (seconds < 1) return `${lessThan[language]} ${inUnitOf(1, 'second', language)}`
  const whole = Math.round(seconds)
  if (whole < 120) return inUnitOf(whole, 'second', language)
  if (whole < 2 * hour) return twoUnits(whole, [60, 'minute'], [1, 'second'], language)
  if (whole < 2 * day) return twoUnits(whole, [hour, 'hour'], [60, 'minute'], language)
  return twoUnits(whole, [day, 'day'], [hour, 'hour'], language)
}

const lessThan = {
  de: 'weniger als',
  es: 'menos de',
  fr: 'moins de',
  pt: 'menos de',
} as const satisfies Record<Exclude<Language, 'en'>, string>

type Unit = 'second' | 'minute' | 'hour' | 'day'

function twoUnits(
  seconds: number,
  [large, largeUnit]: readonly [number, Unit],
  [small, smallUnit]: readonly [number, Unit],
  language: Language,
): string {
  const rest = Math.floor((seconds % large) / small)
  const first = inUnitOf(Math.floor(seconds / large), largeUnit, language)
  return rest === 0 ? first : `${first} ${inUnitOf(rest, smallUnit, language)}`
}

const inUnitOf = (count: number, unit: Unit, language: Language) =>
  new Intl.NumberFormat(localeOf(language), { style: 'unit', unit, unitDisplay: 'short' })
    .format(count)
    .replaceAll(' ', '\u00a0')

/** Two clocks may differ by this many seconds without a message. */
const unremarkable = 5 * 60

/**
 * `by` says how far the service's clock is ahead of ours, or behind it. The result is null when the difference does not
 * matter.
 */
export function clockDifference(
  offsetSeconds: number,
  language: Language = 'en',
): { readonly by: string; readonly ahead: boolean } | null {
  const apart = Math.abs(offsetSeconds)
  if (apart < unremarkable) return null
  const days = new Intl.NumberFormat(localeOf(language), { style: 'unit', unit: 'day', unitDisplay: 'long' })
  const by = apart < 2 * 86_400 ? formatSpan(apart, language) : days.format(Math.round(apart / 86_400))
  return { by, ahead: offsetSeconds > 0 }
}
