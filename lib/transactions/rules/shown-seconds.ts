/**
 * Seconds between two times, in milliseconds since 1970, as the times that pages show differ: those are cut to seconds, so that
 * from 14.9 s to 15.1 s it is 1. What lies between several steps adds up.
 */
export const shownSeconds = (from: number, to: number): number =>
  Math.floor(to / 1000) - Math.floor(from / 1000)
