/** Milliseconds since 1970, the end not included; `Infinity` while it lasts. */
export interface TimeInterval {
  readonly began: number
  readonly ended: number
}

/** The interval around a moment, of some in order that do not overlap. */
export function isWithin(intervals: readonly TimeInterval[], at: number): TimeInterval | undefined {
  const last = intervals[firstAfter(intervals, at) - 1]
  return last && at < last.ended ? last : undefined
}

/** Those in order that begin between two moments. */
export const beginningWithin = (intervals: readonly TimeInterval[], from: number, until: number) =>
  intervals.slice(firstAfter(intervals, from), firstAfter(intervals, until))

/** Where the first stands that begins after a moment: a search by halves. */
function firstAfter(intervals: readonly TimeInterval[], at: number): number {
  let [low, high] = [0, intervals.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if ((intervals[middle]?.began ?? Infinity) <= at) low = middle + 1
    else high = middle
  }
  return low
}
