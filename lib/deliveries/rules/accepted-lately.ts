/** ASSUMED, in ms: the third retry of §6.8 comes within it. */
const retryWindowMs = 15 * 60_000

/** ASSUMED, in ms: no delivery is on its way for longer, so no older one carries the secret from before a rotation. */
export const inFlightMs = 60_000

/** Whether the right secret came until just now: then somebody else may have called with the wrong one. Times in ms. */
export const acceptedLately = (lastTaken: number | null, now: number): boolean =>
  lastTaken !== null && now - lastTaken < retryWindowMs
