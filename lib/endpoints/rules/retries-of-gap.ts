import { retriesAfterGap } from '#lib/deliveries/rules/retry-schedule.ts'

/**
 * Until when the service may retry what failed in a gap (§6.8), in ms since 1970; `given-up` when some deliveries had
 * their last attempt; `cut-off` when an endpoint was disabled before then (§6).
 */
export type RetriesOfGap = { readonly until: number } | 'given-up' | 'cut-off'

/** @param off when an endpoint that was to be retried was disabled after the gap; null when none was */
export function retriesOfGap(began: number, ended: number, off: number | null): RetriesOfGap {
  const seconds = retriesAfterGap((ended - began) / 1000)
  if (seconds === null) return 'given-up'
  const until = ended + seconds * 1000
  return off !== null && off < until ? 'cut-off' : { until }
}
