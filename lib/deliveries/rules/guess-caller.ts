import { acceptedLately, inFlightMs } from './accepted-lately.ts'

/** A minute in which one receiver was called with a wrong secret; times in ms since 1970. */
export interface WrongSecrets {
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
