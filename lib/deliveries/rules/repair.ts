import { acceptedLately, inFlightMs } from './accepted-lately.ts'
import { awaitsSecret, type ReceiverState, takesDeliveries } from './receiver-state.ts'
import type { SecretHandoffState } from './secret-handoff-state.ts'

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
