'use client'

import { clsx } from 'clsx'
import { createContext, type ReactNode, useContext, useEffect, useSyncExternalStore } from 'react'
import { useWords } from './browser/words.tsx'
import {
  currentTimes,
  followBrowser,
  nowInSeconds,
  quarterInSeconds,
  subscribeToClock,
  subscribeToZone,
  zoneOf,
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
  const [subscribe, readNow] = clockOf(style)
  const now = useSyncExternalStore(subscribe, readNow, readNow)
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
const withDay: ReadonlySet<TimeStyle> = new Set<TimeStyle>(['dated', 'exact'])

const never = () => () => {}

/** A style changes with each second, with the day, or never. */
export const clockOf = (style: TimeStyle) =>
  ticking.has(style)
    ? ([subscribeToClock, nowInSeconds] as const)
    : ([withDay.has(style) ? never : subscribeToClock, quarterInSeconds] as const)

const firstVisit = 'local:UTC'

const RenderedTimes = createContext(firstVisit)

/** The context carries the times that the server rendered. `kept` is null on a first visit. */
export function TimeZone({ kept, children }: { readonly kept: string | null; readonly children: ReactNode }) {
  const rendered = kept ?? firstVisit
  useEffect(() => followBrowser(rendered), [rendered])
  return <RenderedTimes value={rendered}>{children}</RenderedTimes>
}

/** The hook gives `UTC` or `local:` with a zone. On the server and during hydration it is what the server rendered. */
function useTimes(): string {
  const rendered = useContext(RenderedTimes)
  return useSyncExternalStore(
    subscribeToZone,
    () => currentTimes(rendered),
    () => rendered,
  )
}

/** The hook gives the IANA zone for times. */
export const useZone = (): string => zoneOf(useTimes())

/** The hook gives the choice of the reader, which is local until they choose. */
export const useChosenTimes = () => (useTimes() === 'UTC' ? 'utc' : 'local')

/** The note says once per page what its times are. */
export function TimesNote() {
  return useWords()('ui.timesNote', { zone: useZone().replaceAll('_', ' ') })
}
