import { longestRetryWaitSeconds, retriesAfterGap } from '#lib/deliveries/rules/retry-schedule.ts'
import type { GapInterval } from './gaps.ts'

/** A minute in which deliveries to one receiver were asked to come again; times in ms since 1970. */
export interface DeferredMinute {
  readonly first: number
  readonly last: number
}

/** A time in which they were. */
export interface DeferredPeriod {
  readonly began: number
  readonly ended: number
  /** Until when the service sends again what it was refused in this time; null when some of it had its last attempt. */
  readonly retriesEndAt: number | null
}

/** ASSUMED, in ms: what is over so soon costs a delivery its first retry at most. */
const ignoredMs = 60_000

/**
 * ASSUMED, in ms: while deliveries are deferred at least this often, the period goes on, even if others are
 * accepted.
 */
const ongoingMs = 90_000

/**
 * Joins minutes that may have deferred the same delivery more than once: deferring a retry postpones the next
 * one. §6.8
 */
export function deferredPeriods(minutes: readonly DeferredMinute[]): DeferredPeriod[] {
  const times: DeferredPeriod[] = []
  for (const { first, last } of minutes.toSorted((a, b) => a.first - b.first)) {
    const before = times.at(-1)
    if (before && first <= (before.retriesEndAt ?? before.ended + longestRetryWaitSeconds * 1000)) {
      times.pop()
      times.push(timeOf(before.began, Math.max(before.ended, last)))
    } else times.push(timeOf(first, last))
  }
  return times
}

function timeOf(began: number, ended: number): DeferredPeriod {
  const seconds = retriesAfterGap((ended - began) / 1000)
  return { began, ended, retriesEndAt: seconds === null ? null : ended + seconds * 1000 }
}

/**
 * The gap that a deferred period makes; null when the next attempts delivered everything, or will within a
 * minute or two. The gap lasts until a delivery is accepted again. A period so long that a delivery may have
 * had its seventh attempt stays a gap.
 * @param lastTaken when the receiver last accepted a delivery
 * @param open whether the receiver still accepts deliveries
 */
export function deferredGapOf(
  time: DeferredPeriod,
  {
    lastTaken,
    open,
    now,
  }: { readonly lastTaken: number | null; readonly open: boolean; readonly now: number },
): GapInterval | null {
  const { began, ended, retriesEndAt } = time
  const isBrief = ended - began < ignoredMs
  const isDue = retriesEndAt !== null && now > retriesEndAt
  if (lastTaken === null || lastTaken <= ended) {
    if (isBrief && !(isDue && open)) return null
    return { began, ended: open ? null : ended }
  }
  if (isBrief) return null
  if (now - ended < ongoingMs) return { began, ended: null }
  return isDue ? null : { began, ended }
}
