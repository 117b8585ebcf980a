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
export type ServiceLook = 'seen' | 'key-refused' | 'unanswered'

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
