'use client'

import { clsx } from 'clsx'
import { createContext, type ReactNode, useContext, useEffect, useSyncExternalStore } from 'react'
import { useWords } from './browser/words.tsx'
import {
  chooseZone,
  currentZone,
  localZone,
  nowInSeconds,
  parseZone,
  subscribeToClock,
  subscribeToZone,
} from './clock.ts'
import {
  formatAge,
  formatAgo,
  formatClockTime,
  formatDatedTime,
  formatElapsed,
  formatExactTime,
  formatMinuteTime,
  formatTimeThenDay,
} from './format-time.ts'

/**
 * The styles read: "34 s ago", "34 s" (in a sentence "1 s" and not "now"), "14:17", "14:17:20" (both with the day
 * unless it was today), with the day below, always with the day, or whole.
 */
export type TimeStyle = 'relative' | 'age' | 'elapsed' | 'minute' | 'clock' | 'stacked' | 'dated' | 'exact'

/**
 * The moment (ISO 8601) is in the reader's zone, and whole on hover. The title is made on hover, so hydration on a
 * phone does not pay for it.
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
  const zone = useZone()
  const { language } = useWords()
  const now = useSyncExternalStore(ticking.has(style) ? subscribeToClock : never, nowInSeconds, nowInSeconds)
  const words = {
    relative: formatAgo,
    age: formatAge,
    elapsed: formatElapsed,
    minute: formatMinuteTime,
    clock: formatClockTime,
    stacked: formatTimeThenDay,
    dated: formatDatedTime,
    exact: formatExactTime,
  }[style]
  // The server's clock was read slightly earlier than the browser's.
  return (
    <time
      // The element is new in another zone, because React keeps the server's text when its own first render
      // differs.
      key={zone}
      dateTime={at}
      onPointerEnter={({ currentTarget }) => {
        currentTarget.title = formatExactTime(at, now, zone, language)
      }}
      className={clsx(
        style === 'stacked' && 'whitespace-pre-line',
        ticking.has(style) && 'whitespace-nowrap',
        className,
      )}
      suppressHydrationWarning
    >
      {words(at, now, zone, language)}
    </time>
  )
}

const ticking: ReadonlySet<TimeStyle> = new Set<TimeStyle>(['relative', 'age', 'elapsed'])

const never = () => () => {}

const RenderedZone = createContext('UTC')

/**
 * The context carries the zone in which the server rendered times. `kept` is null on a first visit; then, and when
 * this browser does not know the zone, the browser's zone is used.
 */
export function TimeZone({ kept, children }: { readonly kept: string | null; readonly children: ReactNode }) {
  useEffect(() => {
    if (!kept || !parseZone(kept)) chooseZone(localZone())
  }, [kept])
  return <RenderedZone value={kept ?? 'UTC'}>{children}</RenderedZone>
}

/** The hook gives the IANA zone for times. On the server and during hydration it is the one of the server. */
export function useZone(): string {
  const rendered = useContext(RenderedZone)
  return useSyncExternalStore(
    subscribeToZone,
    () => currentZone(rendered),
    () => rendered,
  )
}

/** The note says once per page what its times are. */
export function TimesNote() {
  return useWords()('ui.timesNote', { zone: useZone().replaceAll('_', ' ') })
}
