import 'server-only'
import type { RefusalReason } from '#lib/deliveries/rules/refusal-reasons.ts'
import type { GapKind, GapOutcome } from '../rules/gaps.ts'
import type { OtherEndpoint } from './find-other-endpoints.ts'

/** A time in which deliveries may be missing. Times are ISO 8601. */
export interface GapView {
  readonly id: string
  readonly kind: GapKind
  /** The endpoint it is about; null when it is about all that deliver here, or nothing is known of it. */
  readonly endpoint: { readonly uuid: string; readonly name: string } | null
  readonly beganAt: string
  /** Null while it lasts. */
  readonly endedAt: string | null
  readonly note: string | null
  /** Other endpoints that delivered here meanwhile, those that make up for it first; empty when it is about all. */
  readonly otherEndpoints: readonly OtherEndpoint[]
  /** Deliveries refused or deferred in it; 0 for other kinds. */
  readonly refused: number
  /** The same by reason, the most first; null for a reason of another version. */
  readonly reasons: readonly { readonly why: RefusalReason | null; readonly count: number }[]
  /**
   * Until when the service may retry what failed in the gap (§6.8); `given-up` when some deliveries had their
   * last attempt; `cut-off` when an endpoint was disabled before then (§6). Null while the gap lasts, and for
   * kinds without attempts.
   */
  readonly retries: { readonly until: string } | 'given-up' | 'cut-off' | null
  /** What an admin found; null until then. */
  readonly closed: {
    readonly outcome: GapOutcome
    readonly reason: string
    readonly by: string
    readonly at: string
  } | null
}
