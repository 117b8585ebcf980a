import { longestRetryWaitSeconds, retriesAfterGap } from '#lib/deliveries/rules/retry-schedule.ts'
import type { GapInterval } from './gaps.ts'

/** Deliveries to one receiver were deferred in this minute. Times are in ms since 1970. */
interface DeferredMinute {
  readonly first: number
  readonly last: number
}

/** Deliveries were deferred in this period. */
interface DeferredPeriod {
  readonly began: number
  readonly ended: number
  /** The service retries until this time what was deferred in the period; null when some of it had its last attempt. */
  readonly retriesEndAt: number | null
}

/** ASSUMED, in ms: a period that ends this soon costs a delivery at most its first retry. */
const ignoredMs = 60_000

/**
 * ASSUMED, in ms: while deliveries are deferred at least this often, the period goes on, even if others are
 * accepted.
 */
const ongoingMs = 90_000

/**
 * Minutes are joined when the same delivery may have been deferred more than once: deferring a retry postpones the
 * next one (§6.8).
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
 * A deferred period makes this gap, which lasts until a delivery is accepted again; null when the next attempts
 * delivered everything, or will within a minute or two. A period in which a delivery may have had its seventh
 * attempt stays a gap. `lastTaken` is the receiver's last accepted delivery; `open`: it still accepts them.
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

/**
 * The service may retry until this time what failed in a gap (§6.8), in ms since 1970. `given-up`: some deliveries
 * had their last attempt. `cut-off`: an endpoint was disabled before (§6).
 */
type RetriesOfGap = { readonly until: number } | 'given-up' | 'cut-off'

/** `off` is the time after the gap when an endpoint with pending retries was disabled; null when none was. */
export function retriesOfGap(began: number, ended: number, off: number | null): RetriesOfGap {
  const seconds = retriesAfterGap((ended - began) / 1000)
  if (seconds === null) return 'given-up'
  const until = ended + seconds * 1000
  return off !== null && off < until ? 'cut-off' : { until }
}

/** A change of an endpoint's status ended like this. `unsure`: the service's answer was lost. */
export type StatusOutcome = 'done' | 'refused' | 'failed' | 'unsure'

/** The status was asked for an endpoint here. Times are in ms since 1970. */
export interface StatusChange {
  readonly status: string
  /** `askedAt` is before the service was asked. */
  readonly askedAt: number
  /** `settled` is null while the service has not answered, and stays null when the change was interrupted. */
  readonly settled: { readonly outcome: StatusOutcome; readonly at: number } | null
}

/**
 * The endpoint was disabled from here in these periods: from before the service was asked to disable it until the
 * service confirmed that it is active. The last one may still last. `changes` are those of one endpoint, in order.
 */
export function disabledPeriods(changes: readonly StatusChange[]): GapInterval[] {
  const times: GapInterval[] = []
  let off: number | null = null
  for (const { status, askedAt, settled } of changes) {
    const outcome = settled?.outcome
    if (status === 'disabled' && (outcome === 'done' || outcome === 'unsure')) off ??= askedAt
    if (status === 'active' && settled?.outcome === 'done' && off !== null) {
      times.push({ began: off, ended: settled.at })
      off = null
    }
  }
  return off === null ? times : [...times, { began: off, ended: null }]
}

interface Pause {
  readonly began: number
  readonly ended: number
}

/**
 * ASSUMED: pauses closer to each other than this, in ms, have one cause, such as a process that dies again and
 * again.
 */
const joinedWithinMs = 5 * 60_000

/** A run of pauses is a gap when together they take this many ms, and this share of its time. */
const [leastMs, leastShare] = [60_000, 0.25]

/**
 * The latest run of short pauses is a gap if together they leave so little time that all attempts of §6.8 may have
 * failed; null otherwise. Times are in ms since 1970, in order.
 */
export function latestPauseRun(pauses: readonly Pause[]): Pause | null {
  const from = pauses.findLastIndex(
    ({ began }, index) => index === 0 || began - (pauses[index - 1]?.ended ?? began) > joinedWithinMs,
  )
  const run = pauses.slice(Math.max(0, from))
  const [first, last] = [run[0], run.at(-1)]
  if (!first || !last || run.length < 2) return null
  const paused = run.reduce((sum, { began, ended }) => sum + ended - began, 0)
  const whole = { began: first.began, ended: last.ended }
  return paused >= leastMs && paused >= leastShare * (whole.ended - whole.began) ? whole : null
}

/** `deliveries` arrived in one full hour, which begins at `from` (ms since 1970). */
export interface DeliveryHour {
  readonly from: number
  readonly deliveries: number
}

export const hourLength = 3_600_000
const week = 7 * 24 * hourLength

/** The pace is learnt from this many weeks. */
export const paceWeeks = 4

/** ASSUMED: fewer weeks are no history. A silence of less than 15 minutes, or with fewer deliveries due, is chance. */
const minWeeks = 3
export const minQuietMs = 15 * 60_000
const minExpected = 30

export interface Silence {
  /** The quietest of these weeks brought at least this many in the same hours. */
  readonly expected: number
  readonly weeks: number
}

/**
 * The silence since `quietFrom` is unusual when the quietest of the last weeks brought at least 30 deliveries in
 * the same hours. Null when it is not unusual, or the history is too short. `hours` must not have hours with known
 * gaps.
 */
export function findSilence(quietFrom: number, now: number, hours: readonly DeliveryHour[]): Silence | null {
  // A silence of more than a week is judged by its first week.
  const until = Math.min(now, quietFrom + week)
  if (until - quietFrom < minQuietMs) return null
  const counts = new Map(hours.map(({ from, deliveries }) => [from, deliveries]))
  let due = 0
  let weeks = paceWeeks
  for (let from = quietFrom - (quietFrom % hourLength); from < until; from += hourLength) {
    const usual = Array.from({ length: paceWeeks }, (_, i) => counts.get(from - (i + 1) * week))
    const known = usual.filter((count) => count !== undefined)
    if (known.length < minWeeks) return null
    const quiet = Math.min(until, from + hourLength) - Math.max(quietFrom, from)
    due += (Math.min(...known) * quiet) / hourLength
    weeks = Math.min(weeks, known.length)
  }
  return due < minExpected ? null : { expected: Math.floor(due), weeks }
}

/** The deliveries of several receivers are added. When some of them say nothing of an hour, the sum is a minimum. */
export function sumHours(each: readonly (readonly DeliveryHour[])[]): DeliveryHour[] {
  const all = new Map<number, number>()
  for (const { from, deliveries } of each.flat()) all.set(from, (all.get(from) ?? 0) + deliveries)
  return [...all].map(([from, deliveries]) => ({ from, deliveries }))
}
