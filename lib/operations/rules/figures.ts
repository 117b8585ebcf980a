/** Counts are kept for each quarter of an hour, in ms. */
export const quarterMs = 15 * 60_000

/**
 * Durations are counted in steps of a tenth, so a duration has an error of at most a twentieth. The migration uses the
 * same step.
 */
const stepOfPace = 1.1

/** The result is the middle of a step, in seconds. */
export const secondsOfPace = (pace: number): number => stepOfPace ** (pace + 0.5)

/** The result is the step of a duration. Durations under a tenth of a second count as that. */
export const paceOfSeconds = (seconds: number): number =>
  Math.floor(Math.log(Math.max(seconds, 0.1)) / Math.log(stepOfPace))

/**
 * `paceAt` returns the step within which a share of all were done; null when there were none.
 * @param counts the number of durations in each step
 * @param share 0 to 1: 0.5 for the median
 */
export function paceAt(counts: ReadonlyMap<number, number>, share: number): number | null {
  const paces = [...counts].filter(([, count]) => count > 0).toSorted(([a], [b]) => a - b)
  const all = paces.reduce((sum, [, count]) => sum + count, 0)
  let sum = 0
  for (const [pace, count] of paces) {
    sum += count
    if (sum >= all * share) return pace
  }
  return null
}
