/** How long to wait after the last key before it is looked for. Milliseconds. */
export const shortestPause = 120
/** For what may become an account number, of which few may be looked for in a day, or is the first of an id. Milliseconds. */
export const longestPause = 400
