import 'server-only'

/** How many rows a page has: what was asked for, from 1 to 200, 50 by default. */
export const pageSize = (asked: number | undefined): number =>
  Math.min(Math.max(Math.trunc(asked ?? 50), 1), 200)
