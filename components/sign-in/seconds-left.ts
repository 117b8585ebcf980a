/** Whole seconds from `now` (seconds since 1970) until `until` (ms since 1970), rounded up; never below 0. */
export const secondsLeft = (until: number, now: number): number => Math.max(0, Math.ceil(until / 1000 - now))
