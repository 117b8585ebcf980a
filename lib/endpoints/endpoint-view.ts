import 'server-only'
import type { ReceiverState } from '#lib/domain/receiver/receiver-state.ts'
import type { RefusalReason } from '#lib/domain/receiver/refusal-reasons.ts'
import type { Repair } from '#lib/domain/receiver/repair.ts'

/** An endpoint as pages show it. Times are ISO 8601. */
export interface EndpointView {
  readonly uuid: string
  readonly url: string
  readonly description: string | null
  /** `active`, `disabled`, `auto_disabled`, or a word that the service has added since. */
  readonly status: string
  /** Null when the endpoint receives every type. */
  readonly subscribedEvents: readonly string[] | null
  /** Whether its url points at this dashboard. */
  readonly ours: boolean
  /** What this dashboard knows of an address of its own; null for endpoints elsewhere or when nothing is known. */
  readonly receiver: ReceiverView | null
  /** Null when none is offered. */
  readonly repair: Repair | null
  /** Since when a shown secret has not been confirmed as deployed; null when there is none. */
  readonly shownAt: string | null
  /** The endpoint that is to be deleted once the secret of this one is deployed. */
  readonly replaces: string | null
  /** The endpoint that is about to take this one's place. */
  readonly replacedBy: string | null
}

export interface ReceiverView {
  readonly id: string
  readonly state: ReceiverState
  readonly lastDeliveryAt: string | null
  /** Deliveries not taken in the last 24 hours, without those of strangers; since when, and why, the most first. */
  readonly refused: number
  readonly refusedSince: string | null
  readonly reasons: readonly { readonly why: RefusalReason | null; readonly count: number }[]
}
