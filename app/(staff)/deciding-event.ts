import type { EventDetailsView } from '#lib/events/event-view.ts'

/** The event that says where a subject stands, as the domain's `statusOf` has it; null of none. */
export const decidingEventView = (events: readonly EventDetailsView[]): EventDetailsView | null =>
  events.reduce<EventDetailsView | null>(
    (deciding, event) => ((event.rank ?? -1) >= (deciding?.rank ?? -1) ? event : deciding),
    null,
  )

/** When anything was last received about it. */
export const lastReceivedAt = (events: readonly EventDetailsView[]): string =>
  events.map((event) => event.lastReceivedAt).reduce((a, b) => (a > b ? a : b))
