import type { AddressQuery } from '#components/browser/use-address.ts'

/** What the address of the timeline says: the type and the person asked for, and the event that is open. */
export interface TimelineSearch {
  readonly type: string | null
  /** Whose events are listed, by id. */
  readonly user: string | null
  readonly event: string | null
}

export const readTimelineSearch = (query: AddressQuery): TimelineSearch => ({
  type: query.get('type'),
  user: query.get('user'),
  event: query.get('event'),
})
