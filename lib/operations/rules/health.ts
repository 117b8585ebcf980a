import type { GapKind } from '#lib/endpoints/rules/gaps.ts'

/** Health is the state of deliveries and of the service, for roles that may see it. Times are ISO 8601. */
export interface Health {
  /** The values below could not be read since this time, and are older; null while they can be read. */
  readonly unreadSince: string | null
  /** The last delivery that pages show arrived at this time; null when none ever came. */
  readonly lastDeliveryAt: string | null
  /** The value is true when an active endpoint delivers here; null until the service has listed its endpoints. */
  readonly receiving: boolean | null
  /** Accepted deliveries are not shown since this time; null while pages show all. */
  readonly behindSince: string | null
  /** The gap is the worst one that nobody has closed and that leaves transactions open; null when there is none. */
  readonly gap: OpenGap | null
  /** `look` says how the service answered the last call, and `since` when that began; null before the first call. */
  readonly service: { readonly outcome: ServiceOutcome; readonly since: string } | null
  /** The watcher has not called the service since this time, though it should every minute; null while it does. */
  readonly unwatchedSince: string | null
}

/** The last call to the service had one of these results. */
type ServiceOutcome = 'seen' | 'key-refused' | 'unanswered'

export interface OpenGap {
  readonly id: string
  readonly kind: GapKind
  /** `error` means that deliveries are missing, `warning` that they may be. */
  readonly severity: 'warning' | 'error'
  readonly beganAt: string
  /** The time is null while the gap lasts. */
  readonly endedAt: string | null
  /** Transactions that were open in the gap have had no event since. `exact` is true up to 1,000. */
  readonly open: { readonly count: number; readonly exact: boolean }
}

/** The shell of all staff pages shows this status, and the live stream keeps it fresh. */
export interface LiveStatus {
  /** The status was read at this time by the database's clock, in ms since 1970. */
  readonly at: number
  /** The health is null for roles that may not see it. */
  readonly health: Health | null
  readonly counts: AttentionCounts
}

/**
 * The counts say how many items need attention, up to `attentionCountLimit`, without those snoozed on the overview. A count
 * is null while it is unknown.
 */
export interface AttentionCounts {
  /** The count has transactions on hold. */
  readonly held: number | null
  /**
   * The count has people with recent events: failed verifications, duplicates, bounced codes, and failed checks for
   * roles that may see them.
   */
  readonly people: number | null
  /** The count has accounts that failed recently. */
  readonly accounts: number | null
  /** The count has companies that recently failed verification or were suspended. */
  readonly companies: number | null
  /** The count has gaps that nobody has closed; null for roles that may not see them. */
  readonly gaps: number | null
  /** The count has the endpoints and gaps of the overview; null for roles that may not see them. */
  readonly endpoints: number | null
  /** The count has the firing alerts of the role that nobody acknowledged; null while unknown. */
  readonly alerts: number | null
}

export const attentionCountLimit = 100

/**
 * The connection is that of the browser. `delayed`: the server has no stream for this page, which polls every few
 * seconds instead. `paused`: a person has paused the updates.
 */
export type Connection = 'connecting' | 'live' | 'reconnecting' | 'delayed' | 'paused'

/** The header shows the page state: the page has all data, or the reason why it has not. */
export type PageState =
  | { readonly kind: 'reconnecting' | 'paused' | 'delayed' | 'no-endpoint' | 'nothing-yet' | 'connected' }
  | { readonly kind: 'missing' | 'perhaps-missing'; readonly gap: OpenGap }
  | {
      readonly kind: 'unread' | 'unwatched' | 'key-refused' | 'service-silent' | 'behind'
      readonly since: string
    }
  | { readonly kind: 'up-to-date'; readonly lastDeliveryAt: string }

/**
 * The state is the weakest of the browser's connection, the deliveries and the service. A state that makes the others
 * unknown comes first, then the one that hides most. `health` is null for roles that may not see it, who see only their
 * connection.
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
  // All other values about deliveries and the service are old in this case.
  (_, health) => (health?.unreadSince ? { kind: 'unread', since: health.unreadSince } : null),
  (_, health) => (health?.gap && isMissing(health.gap, health) ? { kind: 'missing', gap: health.gap } : null),
  // The values about endpoints, the key and the service are old in this case.
  (_, health) => (health?.unwatchedSince ? { kind: 'unwatched', since: health.unwatchedSince } : null),
  (_, health) => (health?.receiving === false ? { kind: 'no-endpoint' } : null),
  (_, health) =>
    health?.service?.outcome === 'key-refused' ? { kind: 'key-refused', since: health.service.since } : null,
  (_, health) => (health?.behindSince ? { kind: 'behind', since: health.behindSince } : null),
  (_, health) =>
    health?.gap && health.gap.endedAt === null ? { kind: 'perhaps-missing', gap: health.gap } : null,
  (_, health) =>
    health?.service?.outcome === 'unanswered'
      ? { kind: 'service-silent', since: health.service.since }
      : null,
  (connection) => (connection === 'delayed' ? { kind: 'delayed' } : null),
  (_, health) => (health?.gap ? { kind: 'perhaps-missing', gap: health.gap } : null),
  (_, health) => (health && health.lastDeliveryAt === null ? { kind: 'nothing-yet' } : null),
  (_, health) =>
    health?.lastDeliveryAt ? { kind: 'up-to-date', lastDeliveryAt: health.lastDeliveryAt } : null,
]

/**
 * `isMissing` is true for a lasting gap with missing deliveries. While no endpoint delivers here, any lasting gap counts.
 */
const isMissing = ({ endedAt, severity }: OpenGap, { receiving }: Health) =>
  endedAt === null && (severity === 'error' || receiving === false)
