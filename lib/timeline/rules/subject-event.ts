import type { Envelope } from '#lib/deliveries/rules/envelope.ts'
import type { DeliveryFact, SameReason } from './decide-repeat.ts'

/** A delivery under the event it belongs to, and why it was put there. */
export interface ReasonedDelivery {
  readonly delivery: DeliveryFact
  readonly reason: SameReason
}

/** One thing that happened to a subject, with every delivery that reported it. Times in ms since 1970. */
export interface SubjectEvent {
  /** The id of its first delivery. */
  readonly id: string
  readonly fingerprint: string
  readonly envelope: Envelope
  readonly deliveries: readonly ReasonedDelivery[]
  /** 0 for the first in the timeline. */
  readonly position: number
  /** How far along its subject it is, 0 to 4; null when that is not known. */
  readonly rank: number | null
  readonly firstReceivedAt: number
  readonly lastReceivedAt: number
  /** For a late event: it happened before this time, so its own time of receipt gives no duration. */
  readonly placedBefore: number | null
  /**
   * The last delivery that was a retry, or said that it happened again, the sender not saying which; null when there is
   * none. Lists that show the newest first show the event at this place.
   */
  readonly cameAgainId: string | null
  readonly cameAgainAt: number | null
  readonly flags: readonly EventFlag[]
}

/**
 * `decisive`: what is unsure about it bears on where its subject stands now, see `mark-decisive.ts`. `amount-not-readable`: it gives
 * an amount that is none; of a transaction, the latest that was given.
 */
export type EventFlag =
  | 'late'
  | 'conflict'
  | 'order-unsure'
  | 'repeat-unsure'
  | 'amount-not-readable'
  | 'decisive'

/** What a timeline can be filtered by: that the sender sent an event again and does not say why, and the doubts about one. */
export const eventFilterFlags = [
  'came-again',
  'conflict',
  'order-unsure',
  'repeat-unsure',
  'late',
] as const satisfies readonly ('came-again' | EventFlag)[]
export type EventFilterFlag = (typeof eventFilterFlags)[number]
