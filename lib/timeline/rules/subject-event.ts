import type { Envelope } from '#lib/deliveries/rules/envelope.ts'
import { isDirection } from '#lib/deliveries/rules/steps.ts'
import type { DeliveryFact, SameReason } from './decide-repeat.ts'

/** A delivery belongs to an event, and the reason says why. */
export interface ReasonedDelivery {
  readonly delivery: DeliveryFact
  readonly reason: SameReason
}

/** An event happened once to a subject; every delivery that reported it is listed. Times in ms since 1970. */
export interface SubjectEvent {
  /** The id is that of its first delivery. */
  readonly id: string
  readonly fingerprint: string
  readonly envelope: Envelope
  readonly deliveries: readonly ReasonedDelivery[]
  /** The first event in the timeline has position 0. */
  readonly position: number
  /** The rank says how far the subject has come, 0 to 4; null when that is not known. */
  readonly rank: number | null
  readonly firstReceivedAt: number
  readonly lastReceivedAt: number
  /** A late event happened before this time, so its own time of receipt gives no duration. */
  readonly placedBefore: number | null
  /**
   * The last delivery was a retry or a repetition, and the sender does not say which; null when there is none.
   * Lists that show the newest first show the event at this place.
   */
  readonly cameAgainId: string | null
  readonly cameAgainAt: number | null
  readonly flags: readonly EventFlag[]
}

/**
 * `decisive`: a doubt about it matters for the current status of its subject, see `markDecisive`.
 * `amount-not-readable`: its amount is no number; for a transaction, this concerns the latest amount.
 */
export type EventFlag =
  | 'late'
  | 'conflict'
  | 'order-unsure'
  | 'repeat-unsure'
  | 'amount-not-readable'
  | 'decisive'

/** A timeline can be filtered by these flags: a repeated event without an explanation, and the doubts about an event. */
export const eventFilterFlags = [
  'came-again',
  'conflict',
  'order-unsure',
  'repeat-unsure',
  'late',
] as const satisfies readonly ('came-again' | EventFlag)[]
export type EventFilterFlag = (typeof eventFilterFlags)[number]

interface Placed {
  readonly id: string
  readonly cameAgainId: string | null
}

/**
 * Pages list a repeated event where it came last when the sender does not say whether it is new. All other
 * events keep their place. Ids are in the order of arrival.
 */
export function raiseRepeated<T extends Placed>(timeline: readonly T[]): T[] {
  const shown = timeline.filter((event) => !isRaised(event))
  for (const event of timeline.filter(isRaised)) {
    const before = shown.findLastIndex((other) => placeOf(other) < placeOf(event))
    shown.splice(before + 1, 0, event)
  }
  return shown
}

/** The event has two places: its own, and where it came again. */
export const isRaised = ({ id, cameAgainId }: Placed): boolean => cameAgainId !== null && cameAgainId !== id

/** Lists that show the newest first use this place: where the event came, or where it came again. */
export const placeOf = ({ id, cameAgainId }: Placed): string => cameAgainId ?? id

interface Listed {
  readonly id: string
  readonly subjectId: string
  readonly type: string | null
  readonly flags: readonly EventFlag[]
}

/**
 * The list shows the newest first. The result has the id of the last event of each type that occurs more than once and gives
 * a status. It claims no order of what happened. A transaction's steps have their own order.
 */
export function latestWords(newestFirst: readonly Listed[]): ReadonlySet<string> {
  const said = newestFirst.filter(({ type, flags }) => !isDirection(type) && !flags.includes('late'))
  const byType = Map.groupBy(said, ({ subjectId, type }) => `${subjectId} ${type}`)
  return new Set([...byType.values()].flatMap(([latest, earlier]) => (latest && earlier ? [latest.id] : [])))
}
