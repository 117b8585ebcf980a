/** Milliseconds since 1970, the end not included; `Infinity` while it lasts. */
export interface Interval {
  readonly began: number
  readonly ended: number
}

export const within = (intervals: readonly Interval[], at: number): Interval | undefined =>
  intervals.find(({ began, ended }) => at >= began && at < ended)
