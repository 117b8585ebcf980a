import 'server-only'
import { showRecord } from '#lib/access/rules/records.ts'
import type { Role } from '#lib/access/rules/roles.ts'
import type { ReceiverState } from '#lib/deliveries/rules/endpoint-states.ts'
import type { RefusalReason } from '#lib/deliveries/rules/refusal-reasons.ts'
import type { Repair } from '#lib/deliveries/rules/repair.ts'
import { placeOfUrl } from '#lib/platform/addresses/receiver-url.ts'

/** An endpoint without the secret part of its address, unless the role may know that. */
export function showEndpoint(role: Role, endpoint: EndpointView): EndpointView {
  const { receiver, url } = endpoint
  if (!receiver?.id) {
    const shown = showRecord<{ readonly url: string | null }>(role, 'receiver', { url })
    return { ...endpoint, url: shown.url ?? placeOfUrl(url) }
  }
  const shown = showRecord<ReceiverView & { readonly url: string | null }>(role, 'receiver', {
    ...receiver,
    url,
  })
  const { url: whole, ...shownReceiver } = shown
  return { ...endpoint, url: whole ?? url.replaceAll(receiver.id, '…'), receiver: shownReceiver }
}

/** An endpoint as pages show it. Times are ISO 8601. */
export interface EndpointView {
  readonly uuid: string
  readonly url: string
  readonly description: string | null
  /** `active`, `disabled`, `auto_disabled`, or a word that the service has added since. */
  readonly status: string
  /** When it was last seen in another state, and first in this one; null while nobody has looked. ISO 8601. */
  readonly statusSince: { readonly after: string | null; readonly by: string } | null
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
  /** The secret part of its address; null for roles that must not know it. */
  readonly id: string | null
  readonly state: ReceiverState
  readonly lastDeliveryAt: string | null
  /** Deliveries not taken in the last 24 hours, without those of strangers; since when, and why, the most first. */
  readonly refused: number
  readonly refusedSince: string | null
  readonly reasons: readonly { readonly why: RefusalReason | null; readonly count: number }[]
}
