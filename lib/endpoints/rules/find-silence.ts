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
