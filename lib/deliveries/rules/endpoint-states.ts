/**
 * States of a receiver: `pending` until its endpoint and secret are known, `active`, `rotating` while a new secret is
 * awaited, `deleting` once deletion was requested, `closed`. docs/endpoints.md has the table.
 */
export const receiverStates = ['pending', 'active', 'rotating', 'deleting', 'closed'] as const

export type ReceiverState = (typeof receiverStates)[number]

/** A state that a later version wrote counts as active: its deliveries are taken. */
export const parseReceiverState = (text: string): ReceiverState =>
  receiverStates.find((state) => state === text) ?? 'active'

/** Whether deliveries that carry its secret are taken. */
export const takesDeliveries = (state: ReceiverState): boolean => state !== 'closed'

/**
 * Whether the sender may have a secret that is not known here yet. A delivery with an unknown secret is then answered
 * 503, so that it comes again.
 */
export const awaitsSecret = (state: ReceiverState): boolean => state === 'pending' || state === 'rotating'

/**
 * The hand-off of a secret to an endpoint elsewhere: `requested` before the service is asked for it, `shown` once
 * an admin has seen it, `deployed` when the endpoint it replaces may be deleted.
 */
const secretHandoffStates = ['requested', 'shown', 'deployed'] as const

export type SecretHandoffState = (typeof secretHandoffStates)[number]

/** Reads a state from a row; null for one of another version. */
export const parseSecretHandoffState = (text: string): SecretHandoffState | null =>
  secretHandoffStates.find((state) => state === text) ?? null

/** What a form shows of an endpoint that it changes, for a hidden field: whether somebody else has changed it meanwhile. */
export const seenOfEndpoint = (endpoint: {
  readonly url: string
  readonly subscribedEvents: readonly string[] | null
}): string => JSON.stringify([endpoint.url, endpoint.subscribedEvents?.toSorted() ?? null])

/** A time in which an endpoint got nothing; ISO 8601, `until` null while it lasts. */
export interface TimeOff {
  readonly from: string
  readonly until: string | null
}

interface State {
  readonly status: string
  /** When it was last seen in another state before; null when it was never seen before. */
  readonly after: string | null
  readonly by: string
  readonly until: string | null
}

/**
 * Each time in which an endpoint was not active, the latest first. One that the service switched off and somebody disabled
 * afterwards was off all the time.
 * @param states in which it was seen, the latest first
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
