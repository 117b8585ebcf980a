import { type Language, localeOf } from '#lib/platform/rules/language.ts'
import { knownZone } from './clock.ts'

/** The text is "34 s ago", or "now"; `now` is in seconds since 1970. */
export function formatAgo(at: string, now: number, _timeZone = 'UTC', language: Language = 'en'): string {
  if (language !== 'en') return agoIn(language, at, now)
  const words = formatAge(at, now)
  return words === 'now' || words === at ? words : `${words} ago`
}

/** The text is "34 s", "12 min", "3 h" or "5 d"; a moment ahead becomes "now". */
export function formatAge(at: string, now: number): string {
  return now - Math.floor(Date.parse(at) / 1000) < 2 ? 'now' : formatElapsed(at, now)
}

/** The text is for the middle of a sentence, "held for 1 s"; a moment ahead becomes "0 s". */
export function formatElapsed(at: string, now: number): string {
  const seconds = Math.max(0, now - Math.floor(Date.parse(at) / 1000))
  if (Number.isNaN(seconds)) return at
  const [count, unit] = inLargestUnit(seconds)
  return `${count}\u00a0${symbols[unit]}`
}

const symbols = { second: 's', minute: 'min', hour: 'h', day: 'd' } as const

function inLargestUnit(seconds: number): [count: number, unit: keyof typeof symbols] {
  if (seconds < 100) return [seconds, 'second']
  if (seconds < 100 * 60) return [Math.round(seconds / 60), 'minute']
  if (seconds < 48 * 3600) return [Math.round(seconds / 3600), 'hour']
  return [Math.round(seconds / 86_400), 'day']
}

/** Another language abbreviates the time in its own way: "vor 34 Sek." */
function agoIn(language: Language, at: string, now: number): string {
  const seconds = now - Math.floor(Date.parse(at) / 1000)
  if (Number.isNaN(seconds)) return at
  const ago = new Intl.RelativeTimeFormat(localeOf(language), {
    style: 'short',
    numeric: seconds < 2 ? 'auto' : 'always',
  })
  if (seconds < 2) return ago.format(0, 'second')
  const [count, unit] = inLargestUnit(seconds)
  return ago.format(-count, unit)
}

/** The text is "14:17:20" for today and "20 Nov 14:17:20" otherwise, with the year when it is not this one. */
export function formatClockTime(
  at: string,
  now: number,
  timeZone: string,
  language: Language = 'en',
): string {
  const { time, day } = partsOf(at, now, timeZone, language)
  return day === null ? time : `${day} ${time}`
}

/** The text ends with the minute, for lists: "14:17", "20 Nov 14:17". */
export function formatMinuteTime(
  at: string,
  now: number,
  timeZone: string,
  language: Language = 'en',
): string {
  return formatClockTime(at, now, timeZone, language).replace(/:\d\d$/, '')
}

/** The day is on its own line below the time. */
export function formatTimeThenDay(
  at: string,
  now: number,
  timeZone: string,
  language: Language = 'en',
): string {
  const { time, day } = partsOf(at, now, timeZone, language)
  return day === null ? time : `${time}\n${day}`
}

/** The text is the whole moment with its zone, to the millisecond. No line ends before the zone. */
export function formatExactTime(
  at: string,
  _now: number,
  timeZone: string,
  language: Language = 'en',
): string {
  const date = new Date(at)
  return Number.isNaN(date.getTime())
    ? at
    : formatter('exact', timeZone, language)
        .format(date)
        .replace(/ (?=\S+$)/, '\u00a0')
}

/** The text always has the day and the minute; customers see times in this form. */
export function formatDatedTime(
  at: string,
  _now: number,
  timeZone: string,
  language: Language = 'en',
): string {
  const date = new Date(at)
  return Number.isNaN(date.getTime()) ? at : formatter('dated', timeZone, language).format(date)
}

function partsOf(
  at: string,
  now: number,
  timeZone: string,
  language: Language,
): { time: string; day: string | null } {
  const date = new Date(at)
  if (Number.isNaN(date.getTime())) return { time: at, day: null }
  const time = formatter('time', timeZone, language).format(date)
  const [day, year] = dayAndYear(date, timeZone, language)
  const [today, thisYear] = dayAndYear(new Date(now * 1000), timeZone, language)
  if (year !== thisYear) return { time, day: `${day} ${year}` }
  return { time, day: day === today ? null : day }
}

function dayAndYear(date: Date, timeZone: string, language: Language): [day: string, year: string] {
  return [
    formatter('day', timeZone, language).format(date),
    formatter('year', timeZone, language).format(date),
  ]
}

const shapes = {
  time: { hour: '2-digit', minute: '2-digit', second: '2-digit', hourCycle: 'h23' },
  day: { day: 'numeric', month: 'short' },
  year: { year: 'numeric' },
  dated: {
    day: 'numeric',
    month: 'short',
    year: 'numeric',
    hour: '2-digit',
    minute: '2-digit',
    hourCycle: 'h23',
  },
  exact: {
    day: 'numeric',
    month: 'short',
    year: 'numeric',
    hour: '2-digit',
    minute: '2-digit',
    second: '2-digit',
    fractionalSecondDigits: 3,
    hourCycle: 'h23',
    timeZoneName: 'short',
  },
} as const satisfies Record<string, Intl.DateTimeFormatOptions>

const formatters = new Map<string, Intl.DateTimeFormat>()

/** Making a formatter takes longer than a hundred uses of it. */
function formatter(
  shape: keyof typeof shapes,
  timeZone: string,
  language: Language = 'en',
): Intl.DateTimeFormat {
  const key = `${shape} ${timeZone} ${language}`
  const known = formatters.get(key)
  if (known) return known
  const made = new Intl.DateTimeFormat(language === 'en' ? 'en-GB' : localeOf(language), {
    ...shapes[shape],
    timeZone: knownZone(timeZone),
  })
  formatters.set(key, made)
  return made
}
