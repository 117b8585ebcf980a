/** "34 s ago", or "now"; `now` in seconds since 1970. */
export function formatAgo(at: string, now: number): string {
  const words = formatAge(at, now)
  return words === 'now' || words === at ? words : `${words} ago`
}

/** "34 s", "12 min", "3 h", "5 d"; a moment ahead reads "now". */
export function formatAge(at: string, now: number): string {
  return now - Math.floor(Date.parse(at) / 1000) < 2 ? 'now' : formatElapsed(at, now)
}

/** The same for the middle of a sentence, "held for 1 s"; a moment ahead reads "0 s". */
export function formatElapsed(at: string, now: number): string {
  const seconds = Math.max(0, now - Math.floor(Date.parse(at) / 1000))
  if (Number.isNaN(seconds)) return at
  if (seconds < 100) return `${seconds} s`
  if (seconds < 100 * 60) return `${Math.round(seconds / 60)} min`
  if (seconds < 48 * 3600) return `${Math.round(seconds / 3600)} h`
  return `${Math.round(seconds / 86_400)} d`
}

/** "14:17:20" when it was today, "20 Nov 14:17:20" otherwise, with the year when it was not this one. */
export function formatClockTime(at: string, now: number, timeZone: string): string {
  const { time, day } = partsOf(at, now, timeZone)
  return day === null ? time : `${day} ${time}`
}

/** The same to the minute, for lists: "14:17", "20 Nov 14:17". */
export function formatMinuteTime(at: string, now: number, timeZone: string): string {
  return formatClockTime(at, now, timeZone).replace(/:\d\d$/, '')
}

/** The moment with the day on a line of its own below the time. */
export function formatTimeThenDay(at: string, now: number, timeZone: string): string {
  const { time, day } = partsOf(at, now, timeZone)
  return day === null ? time : `${time}\n${day}`
}

/** The whole moment with its zone, to the millisecond. */
export function formatExactTime(at: string, _now: number, timeZone: string): string {
  const date = new Date(at)
  return Number.isNaN(date.getTime()) ? at : formatter('exact', timeZone).format(date)
}

function partsOf(at: string, now: number, timeZone: string): { time: string; day: string | null } {
  const date = new Date(at)
  if (Number.isNaN(date.getTime())) return { time: at, day: null }
  const time = formatter('time', timeZone).format(date)
  const [day, year] = dayAndYear(date, timeZone)
  const [today, thisYear] = dayAndYear(new Date(now * 1000), timeZone)
  if (year !== thisYear) return { time, day: `${day} ${year}` }
  return { time, day: day === today ? null : day }
}

function dayAndYear(date: Date, timeZone: string): [day: string, year: string] {
  return [formatter('day', timeZone).format(date), formatter('year', timeZone).format(date)]
}

const shapes = {
  time: { hour: '2-digit', minute: '2-digit', second: '2-digit', hourCycle: 'h23' },
  day: { day: 'numeric', month: 'short' },
  year: { year: 'numeric' },
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
function formatter(shape: keyof typeof shapes, timeZone: string): Intl.DateTimeFormat {
  const key = `${shape} ${timeZone}`
  const known = formatters.get(key)
  if (known) return known
  const made = new Intl.DateTimeFormat('en-GB', { ...shapes[shape], timeZone })
  formatters.set(key, made)
  return made
}
