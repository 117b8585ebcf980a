'use client'

import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect, useEffectEvent, useRef, useState } from 'react'
import { fetchJson } from '#components/ui/browser/fetch-json.ts'
import type { EventDetailsView, EventPage, EventView } from '#lib/timeline/event-view.ts'
import type { EventSource } from '#lib/timeline/list-events.ts'
import { placeOf } from '#lib/timeline/rules/subject-event.ts'
import { addressOf } from '../address-of.ts'
import { type EventsAsked, eventFilterNames } from './search.ts'

/** The server put this into the page, for these filters. */
export interface RenderedTimeline extends EventsAsked {
  /** `at` is in ms since 1970. */
  readonly at: number
  /** `page` is null when the address asks for something that cannot exist. */
  readonly page: EventPage | null
  /** `person` names the person of the filter, as the reader's role may know it. */
  readonly person: string | null
  /** Events came through these endpoints, for roles that may know of them. */
  readonly sources: readonly EventSource[]
  /** The address opens this event, wherever it is in the timeline. */
  readonly opened: EventDetailsView | null
  /** `mayReplay`: the reader may send its deliveries again. */
  readonly mayReplay: boolean
}

interface Events {
  /** Events come newest first; null while nothing has arrived yet. */
  readonly rows: readonly EventView[] | null
  /** These arrived while the page was open, few at a time. */
  readonly arrived: ReadonlySet<string>
  readonly older: string | null
  readonly loadOlder: () => void
  readonly loadingOlder: boolean
  readonly olderFailed: boolean
  readonly error: unknown
  readonly retry: () => void
  /** These events are held back. */
  readonly waiting: { readonly count: number; readonly hasMore: boolean } | null
  readonly showNew: () => void
}

const none: ReadonlySet<string> = new Set()
const olderKey = 'older-events'

/**
 * The hook gives all events seen so far: each change reads the newest page again and joins it to the known events.
 * `isHeld`: new ones wait, so that nothing moves under the reader.
 */
export function useEvents(search: EventsAsked, rendered: RenderedTimeline, isHeld: boolean): Events {
  const queries = useQueryClient()
  const filters = Object.fromEntries(eventFilterNames.map((name) => [name, search[name]]))
  const asked = addressOf('/api/events', filters)
  const queryKey = ['events', asked]
  // A reader who scrolls on while events are being read must not be moved by them either.
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
    const queryFn = () => fetchJson<EventPage>(path)
    // The request is a query, so that the page says when it is late.
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

/** These events have been seen so far, newest first. */
export interface KnownEvents {
  readonly rows: readonly EventView[]
  /** `older` is for the page below these; null at the end. */
  readonly older: string | null
  /** The events are known up to this place. */
  readonly newest: string | null
  /** These are marked as new. */
  readonly arrived?: ReadonlySet<string>
  /** The list had this many lines when older ones were asked for the last time. */
  readonly asked?: number
  /** The newest page waits while its new events are held back; they are `count`, or more. */
  readonly waits?: { readonly page: EventPage; readonly count: number; readonly hasMore: boolean } | null
}

/** The list keeps this many lines that nobody asked for. Lines that fall out below can be loaded again. */
const keptUnasked = 50

/** More lines than this make a page slow, so they are removed even when somebody asked for them. */
const mostRows = 1000

/** More than this at once are not marked: everything is new, and the browser has enough to draw. */
const mostMarked = 8

/**
 * The newest page replaces the known rows above its end, and its new rows are marked. If it ends above all known
 * rows, rows may be missing in between, so the list starts again.
 */
export function joinEvents(page: EventPage, known: KnownEvents | undefined): KnownEvents {
  if (!known) return page
  const joined = joinPages(page, known)
  const come = page.rows.filter((row) => placeOf(row) > (known.newest ?? ''))
  const marked = new Set(come.length > mostMarked ? [] : come.map(({ id }) => id))
  const arrived = joined.rows.flatMap(({ id }) => (marked.has(id) || known.arrived?.has(id) ? id : []))
  return { ...joined, arrived: new Set(arrived), asked: joined === page ? 0 : (known.asked ?? 0) }
}

/** The older page goes below the known rows, which are kept from now on. */
export function addOlder(page: EventPage, known: KnownEvents): KnownEvents {
  const rows = [...known.rows, ...page.rows]
  return { ...known, rows, older: page.older, asked: rows.length }
}

/** The newest page updates only known events, so that none moves. The new ones wait. */
export function holdEvents(page: EventPage, known: KnownEvents): KnownEvents {
  const newest = new Map(page.rows.map((row) => [row.id, row]))
  const rows = known.rows.map((row) => unlessSame(row, newest.get(row.id) ?? row))
  for (const { id } of rows) newest.delete(id)
  const hasMore = page.older !== null && page.older > (known.newest ?? '')
  return { ...known, rows, waits: { page, count: newest.size, hasMore } }
}

/** The waiting events go to their places. */
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

/** A row without a change stays the same object, so that its line is not drawn again. */
const unlessSame = (known: EventView | undefined, row: EventView) =>
  known && JSON.stringify(known) === JSON.stringify(row) ? known : row

function placeAt(rows: readonly EventView[], index: number): string | null {
  const row = rows[index]
  return row ? placeOf(row) : null
}
