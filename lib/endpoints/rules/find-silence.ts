/** What one full hour brought. `from` in ms since 1970. */
export interface DeliveryHour {
  readonly from: number
  readonly deliveries: number
}

export const hourLength = 3_600_000
const week = 7 * 24 * hourLength

/** How many weeks the pace is learnt from. */
export const paceWeeks = 4

/** ASSUMED: fewer weeks are no history, and a quiet of less than 15 minutes, or in which fewer deliveries were due, is chance. */
const minWeeks = 3
export const minQuietMs = 15 * 60_000
const minExpected = 30

export interface Silence {
  /** The least that the quietest of these weeks would have brought meanwhile. */
  readonly expected: number
  readonly weeks: number
}

/**
 * Whether the time since `quietFrom` without deliveries is unusual: the quietest of the last weeks, at the
 * same hours, brought at least 30 deliveries. Null when it is not unusual or history is too short. Leave
 * hours with known gaps out of `hours`.
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

/** What several receivers brought in all: the least that is known where some of them say nothing of an hour. */
export function sumHours(each: readonly (readonly DeliveryHour[])[]): DeliveryHour[] {
  const all = new Map<number, number>()
  for (const { from, deliveries } of each.flat()) all.set(from, (all.get(from) ?? 0) + deliveries)
  return [...all].map(([from, deliveries]) => ({ from, deliveries }))
}
