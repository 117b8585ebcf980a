/** Milliseconds since 1970, the end not included; `Infinity` while it lasts. */
export interface TimeInterval {
  readonly began: number
  readonly ended: number
}

export const isWithin = (intervals: readonly TimeInterval[], at: number): TimeInterval | undefined =>
  intervals.find(({ began, ended }) => at >= began && at < ended)
