'use client'

import { useSyncExternalStore } from 'react'
import { nowInSeconds, serverZone, subscribeToClock, subscribeToZone, zone } from './clock.ts'
import { ago, clockTime, exactTime } from './time-words.ts'

/** How a moment reads: "34 s ago", "14:17:20", "21 Nov, 14:17" or whole. */
export type TimeStyle = 'relative' | 'clock' | 'short' | 'exact'

/**
 * A moment (ISO 8601) in the reader's zone, whole on hover. The server cannot know the zone or the moment of reading:
 * it renders UTC, and the reader's browser replaces that.
 */
export function Time({
  at,
  style = 'relative',
  className,
}: {
  readonly at: string
  readonly style?: TimeStyle
  readonly className?: string
}) {
  const timeZone = useSyncExternalStore(subscribeToZone, zone, serverZone)
  return (
    <time dateTime={at} title={exactTime(at, timeZone)} {...(className ? { className } : {})}>
      {style === 'relative' ? <Ago at={at} /> : clockTime(at, timeZone, style)}
    </time>
  )
}

function Ago({ at }: { readonly at: string }) {
  const now = useSyncExternalStore(subscribeToClock, nowInSeconds, () => null)
  return now === null ? clockTime(at, 'UTC', 'clock') : ago(at, now)
}
