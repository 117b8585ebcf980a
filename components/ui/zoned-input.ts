import { knownZone } from './clock.ts'

/**
 * A field of type `datetime-local` shows a moment in a time zone like this: `2026-11-20T09:30`; '' for a text that
 * is no time.
 */
export function toZonedInput(at: string, timeZone: string): string {
  const date = new Date(at)
  if (Number.isNaN(date.getTime())) return ''
  return new Date(date.getTime() + offsetAt(date.getTime(), timeZone)).toISOString().slice(0, 16)
}

/**
 * The moment of such a text is UTC to the minute: `2026-11-20T08:30Z`; null for a text that is no time. When clocks
 * go back, a time exists twice: a range begins with the first and ends with the second. A time that clocks skip is
 * the moment of the change.
 */
export function fromZonedInput(text: string, timeZone: string, edge: 'from' | 'to'): string | null {
  const local = Date.parse(`${text.slice(0, 16)}Z`)
  if (!/^\d{4}-\d\d-\d\dT\d\d:\d\d/.test(text) || Number.isNaN(local)) return null
  const before = offsetAt(local - dayMs, timeZone)
  const after = offsetAt(local + dayMs, timeZone)
  const found = [before, after]
    .map((offset) => local - offset)
    .filter((at) => at + offsetAt(at, timeZone) === local)
  const at =
    found.length === 0
      ? changeBetween(local - after, local - before, timeZone)
      : Math[edge === 'from' ? 'min' : 'max'](...found)
  return `${new Date(at).toISOString().slice(0, 16)}Z`
}

/** The text is the offset of a zone at a moment, as people write it: "UTC+2", "UTC−3:30". */
export const offsetLabel = (at: string, timeZone: string): string =>
  offsetName(Date.parse(at), timeZone, 'shortOffset')
    .replace(/GMT(\+0)?/, 'UTC')
    .replace('-', '−')

const minuteMs = 60_000
const dayMs = 1440 * minuteMs

/** The result is the first minute with the clocks of `until`. */
function changeBetween(from: number, until: number, timeZone: string): number {
  if (until - from <= minuteMs) return until
  const middle = from + Math.floor((until - from) / 2 / minuteMs) * minuteMs
  return offsetAt(middle, timeZone) === offsetAt(until, timeZone)
    ? changeBetween(from, middle, timeZone)
    : changeBetween(middle, until, timeZone)
}

/** The offset of a zone from UTC is in ms. */
function offsetAt(at: number, timeZone: string): number {
  const name = offsetName(at, timeZone, 'longOffset')
  const [hours = 0, minutes = 0] = (name.match(/\d+/g) ?? []).map(Number)
  return (hours * 60 + minutes) * (name.includes('-') ? -minuteMs : minuteMs)
}

/** The name is "GMT-03:30", or "GMT" alone; '' for a text that is no time. */
const offsetName = (at: number, timeZone: string, timeZoneName: 'shortOffset' | 'longOffset'): string =>
  Number.isNaN(at)
    ? ''
    : (new Intl.DateTimeFormat('en', { timeZone: knownZone(timeZone), timeZoneName })
        .formatToParts(at)
        .find(({ type }) => type === 'timeZoneName')?.value ?? '')
