/** The reader's clock and time zone are stores to subscribe to: one timer serves all times on a page. */

import { keepCookie } from './browser/keep-cookie.ts'

/**
 * The cookie keeps which times a reader wants: `UTC`, or `local:Europe/Lisbon` for those of the browser, with the IANA
 * zone that it had last.
 */
export const zoneCookie = 'zone'

const local = 'local:'

const clockListeners = new Set<() => void>()
const zoneListeners = new Set<() => void>()
let timer: ReturnType<typeof setInterval> | undefined
let chosen: string | undefined

export function subscribeToClock(listener: () => void): () => void {
  clockListeners.add(listener)
  timer ??= setInterval(() => {
    for (const notify of clockListeners) notify()
  }, 1000)
  return () => {
    clockListeners.delete(listener)
    if (clockListeners.size > 0) return
    clearInterval(timer)
    timer = undefined
  }
}

/** The value is whole seconds since 1970, so that it stays the same within one tick. */
export const nowInSeconds = (): number => Math.floor(Date.now() / 1000)

/** The value is the second in which the present quarter of an hour began. In every zone a day begins with a quarter. */
export const quarterInSeconds = (): number => Math.floor(Date.now() / 900_000) * 900

export function subscribeToZone(listener: () => void): () => void {
  zoneListeners.add(listener)
  return () => zoneListeners.delete(listener)
}

/** The page was rendered with these times, unless the reader has chosen others since. */
export const currentTimes = (rendered: string): string => chosen ?? rendered

/** All times are shown in UTC or in the browser's zone from now on, also on the server's next pages. */
export function chooseTimes(times: 'utc' | 'local'): void {
  chosen = times === 'utc' ? 'UTC' : local + localZone()
  keepCookie(zoneCookie, chosen)
  for (const notify of zoneListeners) notify()
}

/** Nobody has asked for UTC, so times follow a browser that is in another zone than the rendered one. */
export function followBrowser(rendered: string): void {
  const times = currentTimes(rendered)
  if (times !== 'UTC' && zoneOf(times) !== localZone()) chooseTimes('local')
}

/** The times are in this IANA zone. */
export const zoneOf = (times: string): string => times.replace(local, '')

/** The browser's own zone, or UTC when it has none or names one that `Intl` refuses, such as `Etc/Unknown`. */
const localZone = (): string => knownZone(Intl.DateTimeFormat().resolvedOptions().timeZone)

/** The zone is kept when times can be shown in it, and is UTC otherwise. */
export const knownZone = (zone: string): string => (isZone(zone) ? zone : 'UTC')

/**
 * The cookie says these times; null when it says none that `Intl` knows. A zone by itself is of an earlier version and was
 * the browser's.
 */
export function parseTimes(text: string | undefined): string | null {
  if (!text || text === 'UTC') return text || null
  const zone = zoneOf(text)
  return isZone(zone) ? local + zone : null
}

function isZone(text: string | undefined): boolean {
  if (!text) return false
  try {
    new Intl.DateTimeFormat('en', { timeZone: text })
    return true
  } catch {
    return false
  }
}
