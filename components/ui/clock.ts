/** The reader's clock and time zone are stores to subscribe to: one timer serves all times on a page. */

import { keepCookie } from './browser/keep-cookie.ts'

/** The cookie keeps the IANA zone in which a reader wants times. */
export const zoneCookie = 'zone'

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

export function subscribeToZone(listener: () => void): () => void {
  zoneListeners.add(listener)
  return () => zoneListeners.delete(listener)
}

/** The page was rendered in this zone, unless the reader has chosen another since. */
export const currentZone = (rendered: string): string => chosen ?? rendered

/** All times are shown in this IANA zone from now on, also on the server's next pages. */
export function chooseZone(zone: string): void {
  chosen = knownZone(zone)
  keepCookie(zoneCookie, chosen)
  for (const notify of zoneListeners) notify()
}

/** The browser's own zone, or UTC when it has none or names one that `Intl` refuses, such as `Etc/Unknown`. */
export const localZone = (): string => knownZone(Intl.DateTimeFormat().resolvedOptions().timeZone)

/** The zone is kept when times can be shown in it, and is UTC otherwise. */
export const knownZone = (zone: string): string => (parseZone(zone) ? zone : 'UTC')

/** The cookie names this zone; null when `Intl` does not know it. */
export function parseZone(text: string | undefined): string | null {
  if (!text) return null
  try {
    return new Intl.DateTimeFormat('en', { timeZone: text }).resolvedOptions().timeZone
  } catch {
    return null
  }
}
