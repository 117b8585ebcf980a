/**
 * Seconds are computed as the difference of two shown times, which are cut to seconds: from 14.9 s to 15.1 s it
 * is 1. The differences between several steps then add up. Times are in milliseconds since 1970.
 */
export const shownSeconds = (from: number, to: number): number =>
  Math.floor(to / 1000) - Math.floor(from / 1000)
