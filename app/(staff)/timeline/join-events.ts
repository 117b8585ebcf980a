import { placeOf } from '#lib/domain/timeline/raise-repeated.ts'
import type { EventPage, EventView } from '#lib/events/event-view.ts'

/** All that has been seen so far, newest first. */
export interface KnownEvents {
  readonly rows: readonly EventView[]
  /** For the page below these; null at the end. */
  readonly older: string | null
  /** Up to where they are known. */
  readonly newest: string | null
  /** Those that are marked as new. */
  readonly arrived?: ReadonlySet<string>
}

/** More lines than this make a page slow; what falls out below can be loaded again. */
const mostRows = 1000

/** Where more than these come at once, all is new: marks would say nothing, and the browser has enough to draw. */
const mostMarked = 8

/**
 * Puts the newest page in place of the known rows above its end, and marks what it brings. If it ends above all that is known,
 * rows may be missing in between and the list starts again.
 */
export function joinEvents(page: EventPage, known: KnownEvents | undefined): KnownEvents {
  if (!known) return page
  const joined = joinPages(page, known)
  const come = page.rows.filter((row) => placeOf(row) > (known.newest ?? ''))
  const marked = new Set(come.length > mostMarked ? [] : come.map(({ id }) => id))
  const arrived = joined.rows.flatMap(({ id }) => (marked.has(id) || known.arrived?.has(id) ? id : []))
  return { ...joined, arrived: new Set(arrived) }
}

function joinPages(page: EventPage, known: KnownEvents): EventPage {
  const { older: lowest, newest } = page
  if (lowest === null || known.newest === null || known.newest < lowest) return page
  const risen = new Set(page.rows.map(({ id }) => id))
  const below = known.rows.filter((row) => placeOf(row) < lowest && !risen.has(row.id))
  const before = new Map(known.rows.map((row) => [row.id, row]))
  const rows = [...page.rows.map((row) => unlessSame(before.get(row.id), row)), ...below]
  if (rows.length > mostRows)
    return { rows: rows.slice(0, mostRows), older: placeAt(rows, mostRows - 1), newest }
  return { rows, older: known.older === null || known.older < lowest ? known.older : lowest, newest }
}

/** What is known already stays the same object, so that its line is not drawn again. */
const unlessSame = (known: EventView | undefined, row: EventView) =>
  known && JSON.stringify(known) === JSON.stringify(row) ? known : row

function placeAt(rows: readonly EventView[], index: number): string | null {
  const row = rows[index]
  return row ? placeOf(row) : null
}
