/** The result is the smallest figure that this part of the figures does not exceed: 0.5 gives the median. */
export const percentile = (figures: readonly number[], part: number): number =>
  figures.toSorted((a, b) => a - b)[Math.max(0, Math.ceil(figures.length * part) - 1)] ?? Number.NaN
