import type { Health, OpenGap } from './health.ts'

/**
 * The browser's own connection. `delayed`: the server has no stream for this page, which looks for changes every few seconds
 * instead. `paused`: somebody holds back what arrives.
 */
export type Connection = 'connecting' | 'live' | 'reconnecting' | 'delayed' | 'paused'

/** What the header says of a page: whether what it shows is all there is, and if not, why. */
export type PageState =
  | { readonly kind: 'reconnecting' | 'paused' | 'delayed' | 'no-endpoint' | 'nothing-yet' | 'connected' }
  | { readonly kind: 'missing' | 'perhaps-missing'; readonly gap: OpenGap }
  | {
      readonly kind: 'unread' | 'unwatched' | 'key-refused' | 'service-silent' | 'behind'
      readonly since: string
    }
  | { readonly kind: 'up-to-date'; readonly lastDeliveryAt: string }

/**
 * The weakest of the browser's connection, the deliveries and the service. What makes everything else unknown comes first, then
 * what hides the most. `health` is null for roles that may not know it, who are told of their connection alone.
 */
export function weakestState(connection: Connection, health: Health | null): PageState {
  for (const state of weakestFirst) {
    const found = state(connection, health)
    if (found) return found
  }
  return { kind: 'connected' }
}

type Check = (connection: Connection, health: Health | null) => PageState | null

const weakestFirst: readonly Check[] = [
  (connection) => (connection === 'reconnecting' || connection === 'paused' ? { kind: connection } : null),
  // Whatever else is said of deliveries and the service is old then.
  (_, health) => (health?.unreadSince ? { kind: 'unread', since: health.unreadSince } : null),
  (_, health) => (health?.gap && isMissing(health.gap, health) ? { kind: 'missing', gap: health.gap } : null),
  // What is said of endpoints, the key and the service is old then.
  (_, health) => (health?.unwatchedSince ? { kind: 'unwatched', since: health.unwatchedSince } : null),
  (_, health) => (health?.receiving === false ? { kind: 'no-endpoint' } : null),
  (_, health) =>
    health?.service?.look === 'key-refused' ? { kind: 'key-refused', since: health.service.since } : null,
  (_, health) => (health?.behindSince ? { kind: 'behind', since: health.behindSince } : null),
  (_, health) =>
    health?.gap && health.gap.endedAt === null ? { kind: 'perhaps-missing', gap: health.gap } : null,
  (_, health) =>
    health?.service?.look === 'unanswered' ? { kind: 'service-silent', since: health.service.since } : null,
  (connection) => (connection === 'delayed' ? { kind: 'delayed' } : null),
  (_, health) => (health?.gap ? { kind: 'perhaps-missing', gap: health.gap } : null),
  (_, health) => (health && health.lastDeliveryAt === null ? { kind: 'nothing-yet' } : null),
  (_, health) =>
    health?.lastDeliveryAt ? { kind: 'up-to-date', lastDeliveryAt: health.lastDeliveryAt } : null,
]

/** While nobody delivers here, whatever gap lasts hides everything. */
const isMissing = ({ endedAt, severity }: OpenGap, { receiving }: Health) =>
  endedAt === null && (severity === 'error' || receiving === false)
