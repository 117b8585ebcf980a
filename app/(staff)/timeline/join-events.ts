import type { EventPage, EventView } from '#lib/timeline/event-view.ts'
import { placeOf } from '#lib/timeline/rules/raise-repeated.ts'

/** All that has been seen so far, newest first. */
export interface KnownEvents {
  readonly rows: readonly EventView[]
  /** For the page below these; null at the end. */
  readonly older: string | null
  /** Up to where they are known. */
  readonly newest: string | null
  /** Those that are marked as new. */
  readonly arrived?: ReadonlySet<string>
  /** How many lines there were when older ones were asked for the last time. */
  readonly asked?: number
  /** The newest page, while its new events are held back; of those `count`, or more. */
  readonly waits?: { readonly page: EventPage; readonly count: number; readonly hasMore: boolean } | null
}

/** Lines that the list keeps though nobody asked for them. What falls out below can be loaded again. */
const keptUnasked = 50

/** More lines than this make a page slow, asked for or not. */
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
  return { ...joined, arrived: new Set(arrived), asked: joined === page ? 0 : (known.asked ?? 0) }
}

/** Puts the older page below the known rows, which are kept from then on. */
export function addOlder(page: EventPage, known: KnownEvents): KnownEvents {
  const rows = [...known.rows, ...page.rows]
  return { ...known, rows, older: page.older, asked: rows.length }
}

/** Takes from the newest page what it says of known events alone: none moves, and the new ones wait. */
export function holdEvents(page: EventPage, known: KnownEvents): KnownEvents {
  const newest = new Map(page.rows.map((row) => [row.id, row]))
  const rows = known.rows.map((row) => unlessSame(row, newest.get(row.id) ?? row))
  for (const { id } of rows) newest.delete(id)
  const hasMore = page.older !== null && page.older > (known.newest ?? '')
  return { ...known, rows, waits: { page, count: newest.size, hasMore } }
}

/** What waited stands at its place. */
export const releaseEvents = ({ waits, ...known }: KnownEvents): KnownEvents =>
  waits ? joinEvents(waits.page, known) : known

function joinPages(page: EventPage, known: KnownEvents): EventPage {
  const { older: lowest, newest } = page
  if (lowest === null || known.newest === null || known.newest < lowest) return page
  const risen = new Set(page.rows.map(({ id }) => id))
  const below = known.rows.filter((row) => placeOf(row) < lowest && !risen.has(row.id))
  const before = new Map(known.rows.map((row) => [row.id, row]))
  const rows = [...page.rows.map((row) => unlessSame(before.get(row.id), row)), ...below]
  const most = Math.min(mostRows, Math.max(keptUnasked, known.asked ?? 0))
  if (rows.length > most) return { rows: rows.slice(0, most), older: placeAt(rows, most - 1), newest }
  return { rows, older: known.older === null || known.older < lowest ? known.older : lowest, newest }
}

/** What is known already stays the same object, so that its line is not drawn again. */
const unlessSame = (known: EventView | undefined, row: EventView) =>
  known && JSON.stringify(known) === JSON.stringify(row) ? known : row

function placeAt(rows: readonly EventView[], index: number): string | null {
  const row = rows[index]
  return row ? placeOf(row) : null
}
