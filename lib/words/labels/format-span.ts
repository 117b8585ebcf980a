import { type Language, localeOf } from '#lib/platform/rules/language.ts'
import { formatDuration } from './duration.ts'

/**
 * `formatSpan` writes a duration for customers: `48 s` in English, `1 Std., 8 Min.` in German. It takes seconds, 0 or more.
 */
export function formatSpan(seconds: number, language: Language): string {
  if (language === 'en') return formatDuration(seconds)
  if (seconds < 1) return `${lessThan[language]} ${inUnit(1, 'second', language)}`
  const whole = Math.round(seconds)
  if (whole < 120) return inUnit(whole, 'second', language)
  if (whole < 2 * hour) return two(whole, [60, 'minute'], [1, 'second'], language)
  if (whole < 2 * day) return two(whole, [hour, 'hour'], [60, 'minute'], language)
  return two(whole, [day, 'day'], [hour, 'hour'], language)
}

const lessThan = {
  de: 'weniger als',
  es: 'menos de',
  fr: 'moins de',
  pt: 'menos de',
} as const satisfies Record<Exclude<Language, 'en'>, string>

const hour = 3600
const day = 24 * hour

type Unit = 'second' | 'minute' | 'hour' | 'day'

function two(
  seconds: number,
  [large, largeUnit]: readonly [number, Unit],
  [small, smallUnit]: readonly [number, Unit],
  language: Language,
): string {
  const rest = Math.floor((seconds % large) / small)
  const first = inUnit(Math.floor(seconds / large), largeUnit, language)
  return rest === 0 ? first : `${first} ${inUnit(rest, smallUnit, language)}`
}

const inUnit = (count: number, unit: Unit, language: Language) =>
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
