/** The search waits for this many milliseconds after the last key. */
export const shortestPause = 120
/**
 * The pause is longer for a text that may become an account number, since few may be searched in a day, or that
 * is the beginning of an id. Milliseconds.
 */
export const longestPause = 400

/** The rest of a longer paste is ignored. Characters. */
export const longestPaste = 20_000
