import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { chooseZone, currentZone, localZone, parseZone } from './clock.ts'

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
    expect(localZone()).toBe('UTC')
    chooseZone(localZone())
    expect(currentZone('Europe/Berlin')).toBe('UTC')
  },
)

it.each(['Etc/Unknown', 'Mars/Olympus', ''])('times are in UTC when %j is chosen', (zone) => {
  chooseZone(zone)
  expect(currentZone('Europe/Berlin')).toBe('UTC')
})

it.each(['Etc/Unknown', 'undefined', '', undefined, 'Mars/Olympus'])(
  'a cookie of %j names no zone',
  (text) => {
    expect(parseZone(text)).toBeNull()
  },
)
