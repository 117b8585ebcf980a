/** The reader's clock and time zone, as stores to subscribe to: one timer, however many times are shown. */

import { keepCookie } from './browser/keep-cookie.ts'

/** The cookie that keeps the IANA zone in which a reader wants times. */
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

/** Whole seconds since 1970, so that the value stays the same within one tick. */
export const nowInSeconds = (): number => Math.floor(Date.now() / 1000)

export function subscribeToZone(listener: () => void): () => void {
  zoneListeners.add(listener)
  return () => zoneListeners.delete(listener)
}

/** The zone the page was rendered in, unless the reader has chosen another since. */
export const currentZone = (rendered: string): string => chosen ?? rendered

/** Shows all times in this IANA zone from now on, on the server's next pages as well. */
export function chooseZone(zone: string): void {
  chosen = knownZone(zone)
  keepCookie(zoneCookie, chosen)
  for (const notify of zoneListeners) notify()
}

/** The browser's own zone; UTC where it has none, or names one that `Intl` refuses, such as `Etc/Unknown`. */
export const localZone = (): string => knownZone(Intl.DateTimeFormat().resolvedOptions().timeZone)

/** The zone itself where times can be shown in it, otherwise UTC. */
export const knownZone = (zone: string): string => (parseZone(zone) ? zone : 'UTC')

/** The zone that a cookie names, or null when it names none that is known here: `Intl` alone decides. */
export function parseZone(text: string | undefined): string | null {
  if (!text) return null
  try {
    return new Intl.DateTimeFormat('en', { timeZone: text }).resolvedOptions().timeZone
  } catch {
    return null
  }
}
