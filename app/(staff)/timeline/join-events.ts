import { placeOf } from '#lib/domain/timeline/raise-repeated.ts'
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
  const meets = known.rows.some((row) => placeOf(row) >= placeOf(lowest))
  if (!meets) return newest
  const risen = new Set(newest.rows.map(({ id }) => id))
  const below = known.rows.filter((row) => placeOf(row) < placeOf(lowest) && !risen.has(row.id))
  const before = new Map(known.rows.map((row) => [row.id, row]))
  const rows = [...newest.rows.map((row) => unlessSame(before.get(row.id), row)), ...below]
  if (rows.length > mostRows) return { rows: rows.slice(0, mostRows), older: placeAt(rows, mostRows - 1) }
  return { rows, older: below.length > 0 ? known.older : newest.older }
}

/** What is known already stays the same object, so that its line is not drawn again. */
const unlessSame = (known: EventView | undefined, row: EventView) =>
  known && JSON.stringify(known) === JSON.stringify(row) ? known : row

function placeAt(rows: readonly EventView[], index: number): string | null {
  const row = rows[index]
  return row ? placeOf(row) : null
}
