import { maxAttempts, type RetrySpan, retrySpan } from '#lib/deliveries/rules/retry-schedule.ts'
import type { Span } from './decide-repeat.ts'

/**
 * The earliest time at which the sender may have first attempted a delivery that arrived at `receivedAt`: an
 * outage from which the waits of §6.8 lead to another outage (or the same) in which the last attempt before
 * it failed. Null when there is none. Milliseconds since 1970.
 */
export function earliestAttempt(receivedAt: number, outages: readonly Span[]): number | null {
  let earliest: number | null = null
  for (let retries = 1; retries < maxAttempts; retries++) {
    if (!firstOverlap(receivedAt, retrySpan(retries, 1), outages)) continue
    const first = firstOverlap(receivedAt, retrySpan(1, retries), outages)
    // The more retries, the earlier.
    if (first !== null) earliest = first
  }
  return earliest
}

/** The first moment within an outage that is the given time before the arrival. */
function firstOverlap(receivedAt: number, run: RetrySpan, outages: readonly Span[]): number | null {
  const [from, until] = [receivedAt - run.latest * 1000, receivedAt - run.earliest * 1000]
  const firsts = outages.flatMap(({ began, ended }) =>
    ended >= from && began <= until ? [Math.max(began, from)] : [],
  )
  return firsts.length === 0 ? null : Math.min(...firsts)
}
