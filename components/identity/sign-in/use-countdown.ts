'use client'

import { useSyncExternalStore } from 'react'
import { nowInSeconds, subscribeToClock } from '#components/ui/clock.ts'

/** Whole seconds until `until` (ms since 1970), counting down to 0. */
export function useCountdown(until: number): number {
  return useSyncExternalStore(
    subscribeToClock,
    () => secondsLeft(until, nowInSeconds()),
    () => 0,
  )
}

/** Whole seconds from `now` (seconds since 1970) until `until` (ms since 1970), rounded up; never below 0. */
export const secondsLeft = (until: number, now: number): number => Math.max(0, Math.ceil(until / 1000 - now))
