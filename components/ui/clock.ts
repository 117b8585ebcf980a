/** The reader's clock and time zone, as stores that components subscribe to: one timer, however many times are shown. */

const clockListeners = new Set<() => void>()
const zoneListeners = new Set<() => void>()
let timer: ReturnType<typeof setInterval> | undefined

export function subscribeToClock(listener: () => void): () => void {
  clockListeners.add(listener)
  timer ??= setInterval(() => {
    for (const tell of clockListeners) tell()
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

/** The zone that times are shown in: the reader's own, or UTC where they asked for it. */
export const zone = (): string => (readZoneChoice() === 'utc' ? 'UTC' : localZone)
export const serverZone = (): string => 'UTC'

export type ZoneChoice = 'local' | 'utc'

export const readZoneChoice = (): ZoneChoice =>
  window.localStorage.getItem(zoneKey) === 'utc' ? 'utc' : 'local'

export function chooseZone(choice: ZoneChoice): void {
  window.localStorage.setItem(zoneKey, choice)
  for (const tell of zoneListeners) tell()
}

const zoneKey = 'rampart.zone'
const localZone = Intl.DateTimeFormat().resolvedOptions().timeZone
