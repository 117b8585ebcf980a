import type { AddressQuery } from '#components/ui/browser/use-address.ts'

/** The address has these filters of the events: the person and the endpoint are ids. */
export const eventFilterNames = ['type', 'step', 'user', 'endpoint', 'flag'] as const
export type EventFilterName = (typeof eventFilterNames)[number]
export type EventsAsked = { readonly [Name in EventFilterName]: string | null }

/** The address of the timeline has the filters and the open event. */
export interface TimelineSearch extends EventsAsked {
  readonly event: string | null
}

export const readTimelineSearch = (query: AddressQuery): TimelineSearch => ({
  type: query.get('type'),
  step: query.get('step'),
  user: query.get('user'),
  endpoint: query.get('endpoint'),
  flag: query.get('flag'),
  event: query.get('event'),
})

/** No filter is set. */
export const everyEvent = {
  type: null,
  step: null,
  user: null,
  endpoint: null,
  flag: null,
} satisfies EventsAsked
