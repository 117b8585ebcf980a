import { earliestRetrySeconds, matchLadder, retryWindowSeconds } from './retry-schedule.ts'

/** One request that arrived, reduced to what the rules look at. */
export interface DeliveryFact {
  /** uuidv7 */
  readonly id: string
  /** The order of arrival, unique within a database. Order counts, never the clock. */
  readonly order: bigint
  /** Milliseconds since 1970, by the database's clock. */
  readonly receivedAt: number
  readonly receiver: string
  /** Hex SHA-256 of the envelope as canonical JSON. */
  readonly fingerprint: string
  /** `unsure` when our answer may not have reached the sender. */
  readonly answer: 'sure' | 'unsure'
}

/** Why a delivery was taken for a new event, or for one already known. Seconds since the earlier delivery. */
export type SameReason =
  | { readonly kind: 'first' }
  | {
      readonly kind: 'happened-again'
      readonly secondsAfter: number
      readonly because: AgainBecause
    }
  | { readonly kind: 'other-endpoint'; readonly secondsAfter: number }
  | { readonly kind: 'unsure-answer'; readonly secondsAfter: number }
  | {
      readonly kind: 'ladder'
      readonly secondsAfter: number
      /** Which retry of §6.8 its run of waits began with (1 to 6), and how many waits it spans. */
      readonly from: number
      readonly retries: number
    }
  | { readonly kind: 'repeated'; readonly secondsAfter: number }

/**
 * Why it cannot be the earlier event sent again: no retry comes that late; something else happened in between; or
 * the same happened in between, and two endpoints say it again at the same time.
 */
export type AgainBecause = 'window-over' | 'another-between' | 'both-endpoints'

/** The latest event of the same subject and fingerprint. */
export interface EqualEvent {
  readonly first: DeliveryFact
  readonly last: DeliveryFact
  readonly lastOn: ReadonlyMap<string, DeliveryFact>
}

export interface Verdict {
  readonly kind: 'new' | 'same'
  readonly reason: SameReason
}

/**
 * Decides whether a delivery tells something new or repeats `equal`. `begun` is the first delivery of the latest event
 * of this subject, whatever it said; `echo` the next delivery with the same fingerprint on another receiver; `held` says
 * that the delivery or that latest event tells of a hold. The rules are those of docs/timeline.md, in their order.
 */
export function sameOrNew(
  delivery: DeliveryFact,
  equal: EqualEvent | null,
  begun: DeliveryFact | null,
  echo: DeliveryFact | null,
  held: boolean,
): Verdict {
  if (!equal) return { kind: 'new', reason: { kind: 'first' } }
  if (secondsBetween(equal.first, delivery) >= retryWindowSeconds) {
    return again(equal.last, delivery, 'window-over')
  }
  const previous = equal.lastOn.get(delivery.receiver)
  if (!previous) {
    return same({ kind: 'other-endpoint', secondsAfter: secondsBetween(equal.last, delivery) })
  }
  const secondsAfter = secondsBetween(previous, delivery)
  if (previous.answer === 'unsure') return same({ kind: 'unsure-answer', secondsAfter })
  if (secondsAfter < earliestRetrySeconds) return same({ kind: 'repeated', secondsAfter })
  // What began after a delivery of `equal` said something else: `equal` is the latest event that says the same.
  const anotherSince = (earlier: DeliveryFact) => begun !== null && begun.order > earlier.order
  if (anotherSince(previous) && echo && secondsBetween(delivery, echo) <= echoSeconds) {
    const echoed = equal.lastOn.get(echo.receiver)
    if (echoed?.answer === 'sure' && anotherSince(echoed)) return again(previous, delivery, 'both-endpoints')
  }
  if (held && equal.lastOn.size === 1 && anotherSince(previous))
    return again(previous, delivery, 'another-between')
  const run = matchLadder(secondsAfter)
  if (run) return same({ kind: 'ladder', secondsAfter, from: run.from, retries: run.retries })
  if (anotherSince(previous)) return again(previous, delivery, 'another-between')
  return same({ kind: 'repeated', secondsAfter })
}

/**
 * Within this many seconds two endpoints are told of one event, unless an attempt fails.
 * ASSUMED: a sender speaks to all endpoints at once, and the network takes up to 3 s.
 */
export const echoSeconds = 3

const same = (reason: SameReason): Verdict => ({ kind: 'same', reason })

const again = (earlier: DeliveryFact, delivery: DeliveryFact, because: AgainBecause): Verdict => ({
  kind: 'new',
  reason: { kind: 'happened-again', secondsAfter: secondsBetween(earlier, delivery), because },
})

/** Never negative: a clock set back is no reason to say "received -3,600 s later". */
export const secondsBetween = (earlier: DeliveryFact, later: DeliveryFact) =>
  Math.max(0, later.receivedAt - earlier.receivedAt) / 1000
