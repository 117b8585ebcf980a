import { knownZone } from './clock.ts'

/** What stands in a field of type `datetime-local` for a moment, in a time zone: `2026-11-20T09:30`; '' for what is no time. */
export function toZonedInput(at: string, timeZone: string): string {
  const date = new Date(at)
  if (Number.isNaN(date.getTime())) return ''
  return new Date(date.getTime() + offsetAt(date.getTime(), timeZone)).toISOString().slice(0, 16)
}

/**
 * The moment of such a text, in UTC to the minute: `2026-11-20T08:30Z`; null for what is no time. Where the clocks go back a time
 * is twice: a range begins with the first and ends with the second. A time that they pass over is the moment of the change.
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

/** How far the clocks of a zone are ahead at a moment, as people write it: "UTC+2", "UTC−3:30". */
export function offsetLabel(at: string, timeZone: string): string {
  const date = Date.parse(at)
  if (Number.isNaN(date)) return ''
  const minutes = Math.round(offsetAt(date, timeZone) / minuteMs)
  if (minutes === 0) return 'UTC'
  const [hours, rest] = [Math.floor(Math.abs(minutes) / 60), Math.abs(minutes) % 60]
  return `UTC${minutes < 0 ? '−' : '+'}${hours}${rest === 0 ? '' : `:${String(rest).padStart(2, '0')}`}`
}

const minuteMs = 60_000
const dayMs = 1440 * minuteMs

/** The first minute with the clocks of `until`. */
function changeBetween(from: number, until: number, timeZone: string): number {
  if (until - from <= minuteMs) return until
  const middle = from + Math.floor((until - from) / 2 / minuteMs) * minuteMs
  return offsetAt(middle, timeZone) === offsetAt(until, timeZone)
    ? changeBetween(from, middle, timeZone)
    : changeBetween(middle, until, timeZone)
}

/** How far the clocks of a zone are ahead of UTC, in ms. */
function offsetAt(at: number, timeZone: string): number {
  const parts = new Intl.DateTimeFormat('en-CA', {
    timeZone: knownZone(timeZone),
    hourCycle: 'h23',
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
    hour: '2-digit',
    minute: '2-digit',
    second: '2-digit',
  }).formatToParts(at)
  const of = (type: string) => Number(parts.find((part) => part.type === type)?.value)
  const local = Date.UTC(of('year'), of('month') - 1, of('day'), of('hour'), of('minute'), of('second'))
  return local - Math.floor(at / 1000) * 1000
}
