import type { EventDetailsView } from '#lib/timeline/event-view.ts'
import { decidingOf, type RankedKind } from '#lib/timeline/rules/status.ts'

/** The event that says where a subject stands, by the domain's rule; null of none. */
export const decidingEventView = <Event extends RankedKind>(events: readonly Event[]): Event | null =>
  decidingOf(events, (event) => event) ?? null

/** When anything was last received about it. */
export const lastReceivedAt = (events: readonly EventDetailsView[]): string =>
  events.map((event) => event.lastReceivedAt).reduce((a, b) => (a > b ? a : b))
