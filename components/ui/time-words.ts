/** "34 s ago", "12 min ago", "3 h ago", "5 d ago"; `now` in seconds since 1970. A moment ahead reads "now". */
export function ago(at: string, now: number): string {
  const seconds = now - Math.floor(Date.parse(at) / 1000)
  if (Number.isNaN(seconds)) return at
  if (seconds < 2) return 'now'
  return `${duration(seconds)} ago`
}

/** Whole seconds in the one unit a person would use: "48 s", "12 min", "3 h", "5 d". */
export function duration(seconds: number): string {
  if (seconds < 100) return `${seconds} s`
  if (seconds < 100 * 60) return `${Math.round(seconds / 60)} min`
  if (seconds < 48 * 3600) return `${Math.round(seconds / 3600)} h`
  return `${Math.round(seconds / 86_400)} d`
}

/** `clock` 14:17:20 with its day unless it was lately, `short` 21 Nov 14:17, `exact` whole. */
export function clockTime(at: string, timeZone: string, style: 'clock' | 'short' | 'exact'): string {
  const date = new Date(at)
  if (Number.isNaN(date.getTime())) return at
  if (style === 'exact') return exactTime(at, timeZone)
  return formatter(style, timeZone).format(date)
}

/** The whole moment with its zone, to the millisecond. */
export function exactTime(at: string, timeZone: string): string {
  const date = new Date(at)
  return Number.isNaN(date.getTime()) ? at : formatter('exact', timeZone).format(date)
}

const shapes = {
  clock: { hour: '2-digit', minute: '2-digit', second: '2-digit', hourCycle: 'h23' },
  short: { day: 'numeric', month: 'short', hour: '2-digit', minute: '2-digit', hourCycle: 'h23' },
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

function formatter(style: keyof typeof shapes, timeZone: string): Intl.DateTimeFormat {
  const key = `${style} ${timeZone}`
  const known = formatters.get(key)
  if (known) return known
  const made = new Intl.DateTimeFormat('en-GB', { ...shapes[style], timeZone })
  formatters.set(key, made)
  return made
}
