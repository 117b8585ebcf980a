import {
  awaitsSecret,
  type ReceiverState,
  type SecretHandoffState,
  takesDeliveries,
} from './endpoint-states.ts'

/** ASSUMED, in ms: the third retry of §6.8 comes within this time. */
const retryWindowMs = 15 * 60_000

/** ASSUMED, in ms: no delivery takes longer to arrive. A later one cannot carry the secret from before a rotation. */
const inFlightMs = 60_000

/**
 * `acceptedLately` is true when a delivery with the right secret arrived lately. Somebody else may then have used the wrong
 * one. Times are in ms.
 */
const acceptedLately = (lastTaken: number | null, now: number): boolean =>
  lastTaken !== null && now - lastTaken < retryWindowMs

/** One receiver was called in this minute with a wrong secret. Times are ms since 1970. */
interface WrongSecrets {
  readonly first: number
  readonly last: number
  /** The receiver next accepted a delivery with the right secret at this time; null when it has not yet. */
  readonly nextTaken: number | null
  /** The receiver last accepted a delivery at this time. */
  readonly lastTaken: number | null
  /** The receiver, and so perhaps its secret, last changed here at this time. */
  readonly changedAt: number
  /** The receiver was created at this time. */
  readonly madeAt: number
}

/**
 * The guess says who sent the wrong secret: a `stranger`, as right secrets are still accepted; the `service`, as none is,
 * perhaps after a rotation elsewhere; `on-its-way`, as it was sent before a rotation, and its retry will carry the new
 * secret; `undecided`, as right secrets came until just now, and the next delivery decides.
 */
export type CallerGuess = 'stranger' | 'service' | 'on-its-way' | 'undecided'

/** ASSUMED, in ms: a new receiver has its first secret within this time. No delivery can carry an older one. */
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

/** `wasChanged` is true when the receiver, and so perhaps its secret, was changed after it was created. */
export const wasChanged = ({ changedAt, madeAt }: Pick<WrongSecrets, 'changedAt' | 'madeAt'>): boolean =>
  changedAt - madeAt > makingMs

/**
 * A repair of an endpoint here has a reason: `no-secret` (the answer with the secret was lost) or `wrong-secret` (deliveries
 * carry another). Elsewhere it is `other-address` (the url is an earlier public address), `not-seen` (nobody has seen the
 * secret) or `half-replaced` (the replaced endpoint is still to be deleted).
 */
export type Repair = 'no-secret' | 'wrong-secret' | 'other-address' | 'not-seen' | 'half-replaced'

/** These facts are stored about the receiver behind an endpoint's address. Times are ms since 1970. */
export interface RepairFacts {
  readonly state: ReceiverState
  /** The uuid is in lower case; null when the receiver belongs to no endpoint yet. */
  readonly endpointUuid: string | null
  readonly updatedAt: number
  readonly lastDeliveryAt: number | null
  /** A delivery last carried another secret at this time. */
  readonly wrongSecretAt: number | null
}

/** The endpoint's url is at the public address of this dashboard. */
export function repairHere(uuid: string, receiver: RepairFacts | null, now: number): Repair | null {
  if (!receiver || !isReceiverOf(uuid, receiver)) return 'no-secret'
  if (awaitsSecret(receiver.state)) return isUnderWay(receiver, now) ? null : 'no-secret'
  return isSecretOutdated(receiver, now) ? 'wrong-secret' : null
}

/** The endpoint's url is elsewhere, or at an earlier public address. */
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

/** ASSUMED, in ms: a change that began less than this long ago may still be answered. */
const answerWindowMs = 15_000

const isUnderWay = ({ updatedAt }: RepairFacts, now: number) => now - updatedAt < answerWindowMs

/** `isSecretOutdated` is true when somebody else rotated the secret, or a call took effect late. */
function isSecretOutdated({ wrongSecretAt, updatedAt, lastDeliveryAt }: RepairFacts, now: number): boolean {
  return (
    wrongSecretAt !== null &&
    wrongSecretAt > Math.max(updatedAt + inFlightMs, lastDeliveryAt ?? 0) &&
    !acceptedLately(lastDeliveryAt, now)
  )
}
