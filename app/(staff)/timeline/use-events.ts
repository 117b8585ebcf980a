'use client'

import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect, useEffectEvent, useRef, useState } from 'react'
import { fetchJson } from '#components/ui/browser/fetch-json.ts'
import type { EventDetailsView, EventPage, EventView } from '#lib/timeline/event-view.ts'
import type { EventSource } from '#lib/timeline/list-event-sources.ts'
import { addressOf } from '../address-of.ts'
import { addOlder, holdEvents, joinEvents, type KnownEvents, releaseEvents } from './join-events.ts'
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

export interface Events {
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
