import type { EventDetailsView, EventPage } from '#lib/events/event-view.ts'

/** What the server put into the page, and for which type. */
export interface RenderedTimeline {
  readonly type: string | null
  /** Milliseconds since 1970. */
  readonly at: number
  readonly page: EventPage
  /** The event that the address opens, wherever in the timeline it stands. */
  readonly opened: EventDetailsView | null
  /** Whether its deliveries may be sent again by whoever looks. */
  readonly mayReplay: boolean
}
