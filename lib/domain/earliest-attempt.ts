import { maxAttempts, type RetrySpan, retrySpan } from './retry-schedule.ts'
import type { Span } from './same-or-new.ts'

/**
 * The earliest moment at which the sender may have first tried what was received at `receivedAt`: a time of trouble
 * from which waits of §6.8 lead to another, or to the same, in which the last attempt before it failed. Null when none
 * does. Milliseconds since 1970.
 */
export function earliestAttempt(
  receivedAt: number,
  troubles: readonly Span[],
  mostRetries = maxAttempts - 1,
): number | null {
  let earliest: number | null = null
  for (let retries = 1; retries <= mostRetries; retries++) {
    if (!overlap(receivedAt, retrySpan(retries, 1), troubles)) continue
    const first = overlap(receivedAt, retrySpan(1, retries), troubles)
    if (first !== null && (earliest === null || first < earliest)) earliest = first
  }
  return earliest
}

/** The first moment that lies in a time of trouble and so long before. */
function overlap(receivedAt: number, run: RetrySpan, troubles: readonly Span[]): number | null {
  const [from, until] = [receivedAt - run.latest * 1000, receivedAt - run.earliest * 1000]
  const firsts = troubles.flatMap(({ began, ended }) =>
    ended >= from && began <= until ? [Math.max(began, from)] : [],
  )
  return firsts.length === 0 ? null : Math.min(...firsts)
}
