import { createLoader, createSerializer, parseAsString } from 'nuqs/server'

/** What the address of the timeline says: the type asked for, and the event that is open. */
export const timelineSearch = {
  type: parseAsString,
  event: parseAsString,
}

export interface TimelineSearch {
  readonly type: string | null
  readonly event: string | null
}

export const loadTimelineSearch = createLoader(timelineSearch)
export const timelineUrl = createSerializer(timelineSearch)

/** The address of a page of events. */
export const eventsApiUrl = createSerializer({
  type: parseAsString,
  before: parseAsString,
  limit: parseAsString,
})

/** The address of one event with its deliveries and body. */
export const eventApiUrl = createSerializer({ id: parseAsString })
