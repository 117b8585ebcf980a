/** A quarter of an hour, the time to which counts are told apart; in ms. */
export const quarterMs = 15 * 60_000

/** Times to done are counted in steps of a tenth: what is read of them is right to a twentieth. As in the migration. */
const stepOfPace = 1.1

/** The times to done that stand for a pace, in seconds: the middle of it. */
export const secondsOfPace = (pace: number): number => stepOfPace ** (pace + 0.5)

/** The step that a time to done is counted in; what took less than a tenth of a second is counted as that. */
export const paceOfSeconds = (seconds: number): number =>
  Math.floor(Math.log(Math.max(seconds, 0.1)) / Math.log(stepOfPace))

/**
 * The pace by which a share of all were done; null when there were none.
 * @param counts how many of each pace
 * @param share 0 to 1: a half for the median
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
