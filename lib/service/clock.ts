import 'server-only'

/** How far the service's clock is from ours, as its answers say. */
export interface ServiceClock {
  /** Takes the `Date` header of an answer that has just come. */
  read(date: string | null): void
  /** Milliseconds to add to our time; null while no answer said a time. */
  offsetMs(): number | null
  /** When that was read, in ms since 1970. */
  readAt(): number | null
}

/**
 * Remembers the last answer's time. The header has whole seconds and was written before the answer came, so the time that
 * follows from it is never later than the service's own, and at most a second and the way back earlier.
 */
export function createServiceClock(now: () => number = Date.now): ServiceClock {
  let known: { readonly offsetMs: number; readonly readAt: number } | null = null
  return {
    read(date) {
      const time = Date.parse(date ?? '')
      if (Number.isNaN(time)) return
      const readAt = now()
      known = { offsetMs: time - readAt, readAt }
    },
    offsetMs: () => known?.offsetMs ?? null,
    readAt: () => known?.readAt ?? null,
  }
}
