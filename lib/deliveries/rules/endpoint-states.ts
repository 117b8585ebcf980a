/**
 * A receiver is `pending` until its endpoint and secret are known, `active`, `rotating` while a new secret is awaited,
 * `deleting` once deletion was requested, or `closed`. docs/endpoints.md has the table.
 */
export const receiverStates = ['pending', 'active', 'rotating', 'deleting', 'closed'] as const

export type ReceiverState = (typeof receiverStates)[number]

/** A state written by a later version counts as active, so its deliveries are accepted. */
export const parseReceiverState = (text: string): ReceiverState =>
  receiverStates.find((state) => state === text) ?? 'active'

/** `takesDeliveries` is true when the receiver accepts deliveries that carry its secret. */
export const takesDeliveries = (state: ReceiverState): boolean => state !== 'closed'

/**
 * `awaitsSecret` is true while the sender may have a secret that is not known here yet. A delivery with an unknown secret is
 * then answered 503, so that it is sent again.
 */
export const awaitsSecret = (state: ReceiverState): boolean => state === 'pending' || state === 'rotating'

/**
 * The hand-off of a secret to an endpoint elsewhere is `requested` before the service is asked for it, `shown` once an admin
 * has seen it, and `deployed` when the endpoint it replaces may be deleted.
 */
const secretHandoffStates = ['requested', 'shown', 'deployed'] as const

export type SecretHandoffState = (typeof secretHandoffStates)[number]

/** The parser returns null for a state of another version. */
export const parseSecretHandoffState = (text: string): SecretHandoffState | null =>
  secretHandoffStates.find((state) => state === text) ?? null

/** A form keeps this text in a hidden field. It shows whether somebody else has changed the endpoint meanwhile. */
export const seenOfEndpoint = (endpoint: {
  readonly url: string
  readonly subscribedEvents: readonly string[] | null
}): string => JSON.stringify([endpoint.url, endpoint.subscribedEvents?.toSorted() ?? null])

/** The endpoint got nothing during this time. Times are ISO 8601, and `until` is null while it lasts. */
export interface TimeOff {
  readonly from: string
  readonly until: string | null
}

interface State {
  readonly status: string
  /** The endpoint was last seen in another state at this time; null when it was never seen before. */
  readonly after: string | null
  readonly by: string
  readonly until: string | null
}

/**
 * The list has each time in which an endpoint was not active, from the latest on. An endpoint that the service disabled and
 * a person disabled afterwards was off all the time.
 * @param states the states in which it was seen, from the latest on
 */
export function timesOff(states: readonly State[]): TimeOff[] {
  const times: TimeOff[] = []
  let until: string | null | undefined
  for (const [index, state] of states.entries()) {
    if (!isOff(state)) continue
    if (!isOff(states[index - 1])) until = state.until
    if (!isOff(states[index + 1])) times.push({ from: state.after ?? state.by, until: until ?? null })
  }
  return times
}

const isOff = (state: State | undefined) => state !== undefined && state.status !== 'active'

/** The three statuses of §3.1 are in the order of lists. The service may add others. */
export const endpointStatuses = ['active', 'disabled', 'auto_disabled'] as const

export type KnownEndpointStatus = (typeof endpointStatuses)[number]

/** The parser reads a status from an address or from the service; null for an unknown one. */
export const parseEndpointStatus = (text: unknown): KnownEndpointStatus | null =>
  endpointStatuses.find((status) => status === text) ?? null
