import { maxAttempts, retryDelaySeconds, retryWaits } from './retry-schedule.ts'

/**
 * Seconds after a gap during which retries may still arrive (§6.8); null when the gap was so long that the
 * first failed delivery had its last attempt. ASSUMED: an attempt times out after at most 32 s.
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
