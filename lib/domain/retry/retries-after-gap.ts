import { maxAttempts, retryDelaySeconds, retryWaits } from './retry-schedule.ts'

/**
 * For how many seconds after a gap the service may still be waiting to send again what failed in it (§6.8); null when
 * the gap was so long that the first of it had its last attempt, and is not sent again.
 * ASSUMED: an attempt times out after at most 32 s, as in `retry-schedule.ts`.
 */
export function retriesAfterGap(seconds: number): number | null {
  let since = 0
  let wait: number | null = null
  for (const next of retryWaits) {
    if (since > seconds) return wait
    wait = next + timeout
    since += next
  }
  return since > seconds ? wait : null
}

const timeout = 32

/** No attempt comes more seconds than this after the one before it. */
export const longestRetryWaitSeconds = retryDelaySeconds(maxAttempts - 1) + timeout
