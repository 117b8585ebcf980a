import type { EventPage, EventView } from '#lib/events/event-view.ts'

/** All that has been seen so far, newest first. */
export interface KnownEvents {
  readonly rows: readonly EventView[]
  /** For the page below these; null at the end. */
  readonly older: string | null
}

/** More lines than this make a page slow; what falls out below can be loaded again. */
const mostRows = 1000

/**
 * Puts the newest rows on top of the known ones. If the two do not overlap, rows are missing in between and
 * the list starts again.
 */
export function joinEvents(newest: EventPage, known: KnownEvents | undefined): KnownEvents {
  const lowest = newest.rows.at(-1)
  if (!known || !lowest || newest.older === null) return newest
  const meets = known.rows.some((row) => row.id >= lowest.id)
  if (!meets) return newest
  const rows = [...newest.rows, ...known.rows.filter((row) => row.id < lowest.id)]
  if (rows.length <= mostRows)
    return { rows, older: known.rows.at(-1)?.id === rows.at(-1)?.id ? known.older : newest.older }
  return { rows: rows.slice(0, mostRows), older: rows[mostRows - 1]?.id ?? null }
}
