import { stepOfPace } from '#lib/timeline/rules/transaction-counts.ts'

/** The result is the middle of a step, in seconds. */
export const secondsOfPace = (pace: number): number => stepOfPace ** (pace + 0.5)

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
