import type { GapKind } from '#lib/endpoints/rules/gaps.ts'

/** How deliveries and the service stand, for those who may know it. Times are ISO 8601. */
export interface Health {
  /** Since when all below could not be read, and is as it was before; null while it can be. */
  readonly unreadSince: string | null
  /** The last delivery that pages show; null when none ever came. */
  readonly lastDeliveryAt: string | null
  /** Whether an active endpoint delivers here; null until the service has said so. */
  readonly receiving: boolean | null
  /** Since when deliveries that were taken are not shown; null while pages show all. */
  readonly behindSince: string | null
  /** The worst gap that nobody has closed and that leaves something open; null when there is none. */
  readonly gap: OpenGap | null
  /** Whether the service answers and takes the API key, and since when; null until somebody has looked. */
  readonly service: { readonly look: ServiceLook; readonly since: string } | null
  /** Since when nobody has looked at the service, though somebody should each minute; null while somebody does. */
  readonly unwatchedSince: string | null
}

/** What came of the last look at the service. */
type ServiceLook = 'seen' | 'key-refused' | 'unanswered'

export interface OpenGap {
  readonly id: string
  readonly kind: GapKind
  /** `error`: deliveries are missing. `warning`: they may be. */
  readonly severity: 'warning' | 'error'
  readonly beganAt: string
  /** Null while it lasts. */
  readonly endedAt: string | null
  /** Transactions that were open in it and have not been heard of since; `exact` up to 1,000. */
  readonly open: { readonly count: number; readonly exact: boolean }
}

/** What the frame of all staff pages shows, kept fresh by the live stream. */
export interface LiveStatus {
  /** When it was read, in ms since 1970. */
  readonly at: number
  /** Null for roles that may not know it. */
  readonly health: Health | null
  readonly counts: LookCounts
}

/** How many things need a look, counted up to `lookCountLimit`, without what was muted on the overview; null while nobody knows. */
export interface LookCounts {
  /** Transactions on hold. */
  readonly held: number | null
  /**
   * People of whom something was said lately: verifications that failed, duplicates, codes that bounced, and checks that went badly
   * for roles that know of them.
   */
  readonly people: number | null
  /** Accounts that failed lately. */
  readonly accounts: number | null
  /** Companies that lately could not be verified, or were suspended. */
  readonly companies: number | null
  /** Gaps that nobody has closed; null for roles that may not know it. */
  readonly gaps: number | null
  /** What the overview says of endpoints and gaps; null for roles that may not know it. */
  readonly endpoints: number | null
}

export const lookCountLimit = 100

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
