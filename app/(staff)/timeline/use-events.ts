'use client'

import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect, useEffectEvent, useRef, useState } from 'react'
import { fetchJson } from '#components/ui/browser/fetch-json.ts'
import type { EventDetailsView, EventPage, EventView } from '#lib/timeline/event-view.ts'
import type { EventSource } from '#lib/timeline/list-events.ts'
import { placeOf } from '#lib/timeline/rules/listed-events.ts'
import { addressOf } from '../address-of.ts'
import { type EventsAsked, eventFilterNames } from './search.ts'

/** What the server put into the page, and for which of them. */
export interface RenderedTimeline extends EventsAsked {
  /** Milliseconds since 1970. */
  readonly at: number
  /** Null where the address asks for what there cannot be. */
  readonly page: EventPage | null
  /** Who the person asked for is, as the reader's role may know it. */
  readonly person: string | null
  /** Endpoints through which events came, for roles that may know of them. */
  readonly sources: readonly EventSource[]
  /** The event that the address opens, wherever in the timeline it stands. */
  readonly opened: EventDetailsView | null
  /** Whether its deliveries may be sent again by whoever looks. */
  readonly mayReplay: boolean
}

interface Events {
  /** Newest first; null while nothing has come yet. */
  readonly rows: readonly EventView[] | null
  /** Those that arrived while the page was open, few at a time. */
  readonly arrived: ReadonlySet<string>
  readonly older: string | null
  readonly loadOlder: () => void
  readonly loadingOlder: boolean
  readonly olderFailed: boolean
  readonly error: unknown
  readonly retry: () => void
  /** Events that are held back. */
  readonly waiting: { readonly count: number; readonly hasMore: boolean } | null
  readonly showNew: () => void
}

const none: ReadonlySet<string> = new Set()
const olderKey = 'older-events'

/**
 * All events seen so far: each change reads the newest page again and joins it to what is known.
 * @param isHeld new ones wait, so that nothing moves under the reader
 */
export function useEvents(search: EventsAsked, rendered: RenderedTimeline, isHeld: boolean): Events {
  const queries = useQueryClient()
  const filters = Object.fromEntries(eventFilterNames.map((name) => [name, search[name]]))
  const asked = addressOf('/api/events', filters)
  const queryKey = ['events', asked]
  // Whoever scrolls on while events are being read is not to be moved by them either.
  const holds = useRef(isHeld)
  useEffect(() => {
    holds.current = isHeld
  }, [isHeld])
  const query = useQuery<KnownEvents>({
    queryKey,
    queryFn: async ({ signal }) => {
      const path = addressOf('/api/events', filters)
      const page = await fetchJson<EventPage>(path, signal)
      const known = queries.getQueryData<KnownEvents>(queryKey)
      return holds.current && known && known.rows.length > 0
        ? holdEvents(page, known)
        : joinEvents(page, known)
    },
    structuralSharing: false,
    ...(rendered.page && eventFilterNames.every((name) => rendered[name] === search[name])
      ? { initialData: rendered.page, initialDataUpdatedAt: rendered.at }
      : {}),
  })
  const [reading, setReading] = useState<'no' | 'yes' | 'failed'>('no')
  const loadOlder = (before: string) => {
    setReading('yes')
    const path = addressOf('/api/events', { ...filters, before })
    const queryFn = () => fetchJson<EventPage>(path, AbortSignal.timeout(20_000))
    // A query, so that it is said when it is late.
    return queries.fetchQuery({ queryKey: [olderKey, path], queryFn, retry: false, gcTime: 0 }).then(
      (page) => {
        queries.setQueryData<KnownEvents>(queryKey, (known) => (known ? addOlder(page, known) : page))
        setReading('no')
      },
      () => setReading('failed'),
    )
  }
  useEffect(() => () => void queries.cancelQueries({ queryKey: [olderKey] }), [queries])
  const waiting = query.data?.waits ?? null
  const showNew = () =>
    void queries.setQueryData<KnownEvents>(queryKey, (known) => known && releaseEvents(known))
  const release = useEffectEvent(showNew)
  useEffect(() => {
    if (waiting && !isHeld) release()
  }, [waiting, isHeld])
  return {
    rows: query.data?.rows ?? null,
    arrived: query.data?.arrived ?? none,
    older: query.data?.older ?? null,
    loadOlder: () => void (query.data?.older && loadOlder(query.data.older)),
    loadingOlder: reading === 'yes',
    olderFailed: reading === 'failed',
    error: query.error,
    retry: () => void query.refetch(),
    waiting,
    showNew,
  }
}

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
