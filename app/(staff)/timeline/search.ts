import { createLoader, createSerializer, parseAsString } from 'nuqs/server'

/** What the address of the timeline says: the type and the person asked for, and the event that is open. */
export const timelineSearch = {
  type: parseAsString,
  user: parseAsString,
  event: parseAsString,
}

export interface TimelineSearch {
  readonly type: string | null
  /** Whose events are listed, by id. */
  readonly user: string | null
  readonly event: string | null
}

export const loadTimelineSearch = createLoader(timelineSearch)
export const timelineUrl = createSerializer(timelineSearch)

/** The address of a page of events. */
export const eventsApiUrl = createSerializer({
  type: parseAsString,
  user: parseAsString,
  before: parseAsString,
  limit: parseAsString,
})

/** The address of one event with its deliveries and body. */
export const eventApiUrl = createSerializer({ id: parseAsString })
