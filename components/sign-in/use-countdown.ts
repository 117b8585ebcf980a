'use client'

import { useSyncExternalStore } from 'react'
import { nowInSeconds, subscribeToClock } from '../ui/clock.ts'
import { secondsLeft } from './seconds-left.ts'

/** Whole seconds until `until` (ms since 1970), counting down to 0. */
export function useCountdown(until: number): number {
  return useSyncExternalStore(
    subscribeToClock,
    () => secondsLeft(until, nowInSeconds()),
    () => 0,
  )
}
