import {
  awaitsSecret,
  type ReceiverState,
  type SecretHandoffState,
  takesDeliveries,
} from './endpoint-states.ts'

/** ASSUMED, in ms: the third retry of §6.8 comes within it. */
const retryWindowMs = 15 * 60_000

/** ASSUMED, in ms: no delivery is on its way for longer, so no older one carries the secret from before a rotation. */
const inFlightMs = 60_000

/** Whether the right secret came until just now: then somebody else may have called with the wrong one. Times in ms. */
const acceptedLately = (lastTaken: number | null, now: number): boolean =>
  lastTaken !== null && now - lastTaken < retryWindowMs

/** A minute in which one receiver was called with a wrong secret; times in ms since 1970. */
interface WrongSecrets {
  readonly first: number
  readonly last: number
  /** When the receiver next took a delivery, with the right one, after these; null when it has not yet. */
  readonly nextTaken: number | null
  /** When it last took one at all. */
  readonly lastTaken: number | null
  /** When the receiver, and so perhaps its secret, last changed here. */
  readonly changedAt: number
  /** When the receiver was made. */
  readonly madeAt: number
}

/**
 * Who sent the wrong secret: - `stranger`: deliveries with the right secret are still accepted, so it is somebody
 * else; - `service`: none is accepted any more, so the secret may have been rotated elsewhere; - `on-its-way`: it was
 * sent before a rotation, its retry carries the new secret; - `undecided`: right ones came until just now; the next
 * delivery decides.
 */
export type CallerGuess = 'stranger' | 'service' | 'on-its-way' | 'undecided'

/** ASSUMED, in ms: by then a receiver has the secret that it is made with. Nothing is on its way with one from before. */
const makingMs = 10_000

export function guessCaller(wrong: WrongSecrets, now: number): CallerGuess {
  const { first, last, nextTaken, lastTaken, changedAt } = wrong
  if (
    wasChanged(wrong) &&
    first >= changedAt - inFlightMs &&
    last <= changedAt + inFlightMs &&
    nextTaken !== null
  )
    return 'on-its-way'
  if (nextTaken !== null) return changedAt > first && changedAt < nextTaken ? 'service' : 'stranger'
  return acceptedLately(lastTaken, now) && changedAt < (lastTaken ?? 0) ? 'undecided' : 'service'
}

/** Answers whether a receiver, and so perhaps its secret, was changed since it was made. */
export const wasChanged = ({ changedAt, madeAt }: Pick<WrongSecrets, 'changedAt' | 'madeAt'>): boolean =>
  changedAt - madeAt > makingMs

/**
 * Why a repair of an endpoint is offered. Here: `no-secret` (the answer with the secret was lost), `wrong-secret`
 * (deliveries carry another secret). Elsewhere: `other-address` (the url is an earlier public address), `not-seen`
 * (nobody has seen the secret), `half-replaced` (the replaced endpoint is still to be deleted).
 */
export type Repair = 'no-secret' | 'wrong-secret' | 'other-address' | 'not-seen' | 'half-replaced'

/** What is kept of the receiver behind an endpoint's address. Times are ms since 1970. */
export interface RepairFacts {
  readonly state: ReceiverState
  /** Lower case; null when the receiver belongs to no endpoint yet. */
  readonly endpointUuid: string | null
  readonly updatedAt: number
  readonly lastDeliveryAt: number | null
  /** When a delivery last carried another secret. */
  readonly wrongSecretAt: number | null
}

/** For an endpoint whose url is at the public address of this dashboard. */
export function repairHere(uuid: string, receiver: RepairFacts | null, now: number): Repair | null {
  if (!receiver || !isReceiverOf(uuid, receiver)) return 'no-secret'
  if (awaitsSecret(receiver.state)) return isUnderWay(receiver, now) ? null : 'no-secret'
  return isSecretOutdated(receiver, now) ? 'wrong-secret' : null
}

/** For an endpoint whose url is elsewhere, or at an earlier public address. */
export function repairElsewhere(
  uuid: string,
  receiver: RepairFacts | null,
  handoff: SecretHandoffState | null,
): Repair | null {
  if (receiver && isReceiverOf(uuid, receiver)) return 'other-address'
  if (handoff === 'requested') return 'not-seen'
  return handoff === 'deployed' ? 'half-replaced' : null
}

const isReceiverOf = (uuid: string, { state, endpointUuid }: RepairFacts) =>
  takesDeliveries(state) && (endpointUuid === null || endpointUuid === uuid.toLowerCase())

/** ASSUMED, in ms: a change that began less than this ago may still be answered. */
const answerWindowMs = 15_000

const isUnderWay = ({ updatedAt }: RepairFacts, now: number) => now - updatedAt < answerWindowMs

/** Whether the secret was rotated by somebody else, or by a call that took effect late. */
function isSecretOutdated({ wrongSecretAt, updatedAt, lastDeliveryAt }: RepairFacts, now: number): boolean {
  return (
    wrongSecretAt !== null &&
    wrongSecretAt > Math.max(updatedAt + inFlightMs, lastDeliveryAt ?? 0) &&
    !acceptedLately(lastDeliveryAt, now)
  )
}
