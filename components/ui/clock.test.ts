import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { chooseTimes, currentTimes, followBrowser, parseTimes } from './clock.ts'
import { formatClockTime } from './format-time.ts'
import { clockOf } from './time.tsx'

beforeEach(() => {
  vi.stubGlobal('document', {})
  vi.stubGlobal('location', { protocol: 'https:' })
})
afterEach(() => {
  vi.restoreAllMocks()
  vi.unstubAllGlobals()
})

/** The browser names this as its zone. */
function browserSays(timeZone: unknown) {
  const { resolvedOptions } = Intl.DateTimeFormat.prototype
  vi.spyOn(Intl.DateTimeFormat.prototype, 'resolvedOptions').mockImplementation(function named(
    this: Intl.DateTimeFormat,
  ) {
    return Object.assign(resolvedOptions.call(this), { timeZone })
  })
}

it.each(['Etc/Unknown', '', 'GMT+3', 'undefined', undefined, 'Mars/Olympus', 'Europe/Berlin;'])(
  'times are in UTC where the browser calls its zone %j',
  (named) => {
    browserSays(named)
    chooseTimes('local')
    expect(currentTimes('local:Europe/Berlin')).toBe('local:UTC')
  },
)

it('times follow a browser that is elsewhere now, unless UTC was chosen', () => {
  browserSays('Europe/Lisbon')
  chooseTimes('local')
  vi.restoreAllMocks()
  browserSays('America/New_York')
  followBrowser('local:Europe/Lisbon')
  expect(currentTimes('local:Europe/Lisbon')).toBe('local:America/New_York')
  expect(document.cookie).toContain(`.zone=${encodeURIComponent('local:America/New_York')};`)
  chooseTimes('utc')
  followBrowser('local:Europe/Lisbon')
  expect(currentTimes('local:Europe/Lisbon')).toBe('UTC')
  expect(document.cookie).toContain('.zone=UTC;')
})

it.each([
  ['UTC', 'UTC'],
  ['local:UTC', 'local:UTC'],
  ['local:Asia/Kolkata', 'local:Asia/Kolkata'],
  ['Europe/Lisbon', 'local:Europe/Lisbon'],
])('a cookie of %j asks for %j', (text, times) => {
  expect(parseTimes(text)).toBe(times)
})

it.each(['Etc/Unknown', 'local:Etc/Unknown', 'local:', 'undefined', '', undefined, 'Mars/Olympus'])(
  'a cookie of %j asks for no times',
  (text) => {
    expect(parseTimes(text)).toBeNull()
  },
)

it.each([
  ['minute', 'UTC', '2026-02-02T00:00:00Z'],
  ['clock', 'Asia/Kathmandu', '2026-02-01T18:15:00Z'],
  ['stacked', 'Australia/Adelaide', '2026-02-01T13:30:00Z'],
] as const)('a time of the style %s gets its day at midnight of %s', (style, zone, midnight) => {
  vi.useFakeTimers({ now: Date.parse(midnight) - 1_500 })
  const [subscribe, read] = clockOf(style)
  const seen = [read()]
  const stop = subscribe(() => seen.push(read()))
  vi.advanceTimersByTime(3_000)
  stop()
  vi.useRealTimers()
  const at = new Date(Date.parse(midnight) - 3_600_000).toISOString()
  expect(seen.map((now) => formatClockTime(at, now, zone))).toEqual([
    '23:00:00',
    '23:00:00',
    '1 Feb 23:00:00',
    '1 Feb 23:00:00',
  ])
})
