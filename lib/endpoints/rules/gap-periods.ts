import { longestRetryWaitSeconds, retriesAfterGap } from '#lib/deliveries/rules/retry-schedule.ts'
import type { GapInterval } from './gaps.ts'

/** A minute in which deliveries to one receiver were asked to come again; times in ms since 1970. */
interface DeferredMinute {
  readonly first: number
  readonly last: number
}

/** A time in which they were. */
interface DeferredPeriod {
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

/**
 * Until when the service may retry what failed in a gap (§6.8), in ms since 1970; `given-up` when some deliveries had
 * their last attempt; `cut-off` when an endpoint was disabled before then (§6).
 */
type RetriesOfGap = { readonly until: number } | 'given-up' | 'cut-off'

/** @param off when an endpoint that was to be retried was disabled after the gap; null when none was */
export function retriesOfGap(began: number, ended: number, off: number | null): RetriesOfGap {
  const seconds = retriesAfterGap((ended - began) / 1000)
  if (seconds === null) return 'given-up'
  const until = ended + seconds * 1000
  return off !== null && off < until ? 'cut-off' : { until }
}

/** How a change of an endpoint's status ended; `unsure`: the service's answer was lost. */
export type StatusOutcome = 'done' | 'refused' | 'failed' | 'unsure'

/** A status that was asked for an endpoint here. Times in ms since 1970. */
export interface StatusChange {
  readonly status: string
  /** Before the service was asked. */
  readonly askedAt: number
  /** Null while the service has not answered, and for good when the change was interrupted. */
  readonly settled: { readonly outcome: StatusOutcome; readonly at: number } | null
}

/**
 * Periods in which an endpoint was disabled from here: from before the service was asked to disable it until the
 * service confirmed that it is active. The last one may still last.
 * @param changes of one endpoint, in order
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

/** ASSUMED: pauses closer to each other than this, in ms, have one cause, such as a process that dies again and again. */
const joinedWithinMs = 5 * 60_000

/** A run of pauses is a gap when they last for so long together, in ms, and for such a share of its time. */
const [leastMs, leastShare] = [60_000, 0.25]

/**
 * The latest run of short pauses, from its first to its last, if together they leave so little time that the attempts of §6.8 may
 * have met nothing else; null otherwise. Times in ms since 1970, in order.
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
