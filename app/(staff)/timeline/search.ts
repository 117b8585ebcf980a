import type { AddressQuery } from '#components/ui/browser/use-address.ts'

/** Which events are listed, each as the address has it: the person and the endpoint by their ids. */
export const eventFilterNames = ['type', 'step', 'user', 'endpoint', 'flag'] as const
export type EventFilterName = (typeof eventFilterNames)[number]
export type EventsAsked = { readonly [Name in EventFilterName]: string | null }

/** What the address of the timeline says: what is asked for, and the event that is open. */
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

/** All filters dropped. */
export const everyEvent = {
  type: null,
  step: null,
  user: null,
  endpoint: null,
  flag: null,
} satisfies EventsAsked
