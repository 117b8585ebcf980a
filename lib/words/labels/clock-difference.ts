import type { Language } from '#lib/platform/rules/language.ts'
import { formatSpan } from './format-span.ts'

/** Seconds between two clocks that nobody has to know of. */
const unremarkable = 5 * 60

/** By how much the service's clock is ahead of ours, or behind when negative; null when it does not matter. */
export function clockDifference(
  offsetSeconds: number,
  language: Language = 'en',
): { readonly by: string; readonly ahead: boolean } | null {
  const apart = Math.abs(offsetSeconds)
  if (apart < unremarkable) return null
  const days = new Intl.NumberFormat(language, { style: 'unit', unit: 'day', unitDisplay: 'long' })
  const by = apart < 2 * 86_400 ? formatSpan(apart, language) : days.format(Math.round(apart / 86_400))
  return { by, ahead: offsetSeconds > 0 }
}
