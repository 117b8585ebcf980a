import {
  maxAttempts,
  type RetrySpan,
  retrySpan,
  retryWindowSeconds,
} from '#lib/deliveries/rules/retry-schedule.ts'
import type { DeliveryFact, Span } from './decide-repeat.ts'

/** What is kept beside a delivery; all of it is known, or nothing. */
export type DeliveryEvidence = Required<
  Pick<DeliveryFact, 'otherReceivers' | 'offPeriods' | 'refusedAt' | 'earliestAttempt'>
>

/** When a receiver got these types, `*` standing for all. Milliseconds since 1970. */
export interface ReceiverPeriod {
  readonly receiver: string
  /** Never later than the real start, so that an endpoint is not taken to be newer than it is. */
  readonly began: number
  /** Never earlier than it truly ended; null while it lasts. */
  readonly ended: number | null
  readonly events: readonly string[]
  /** When it was last seen so. */
  readonly lastSeenAt: number
}

/** A period in which attempts may not have reached us; `receiver` is null when it concerns all receivers. */
export interface OutagePeriod extends Span {
  readonly receiver: string | null
}

interface Arrival {
  readonly receivedAt: number
  readonly receiver: string
  readonly type: string | null
}

/**
 * Evidence for a delivery from what is known of all receivers; null when nothing is known of its own
 * receiver.
 */
export function deliveryEvidence(
  { receivedAt, receiver, type }: Arrival,
  periods: readonly ReceiverPeriod[],
  outages: readonly OutagePeriod[],
  refused: readonly number[],
): DeliveryEvidence | null {
  const began = receivedAt - retryWindowSeconds * 1000
  const ofType = periods.filter(
    ({ events }) => events.includes('*') || (type !== null && events.includes(type)),
  )
  if (!periods.some((period) => period.receiver === receiver)) return null
  const own = ofType.filter((period) => period.receiver === receiver)
  const seenOff = Math.max(...periods.filter((one) => one.receiver === receiver).map((one) => one.lastSeenAt))
  const away = offPeriodsOf(own, Math.min(seenOff, receivedAt)).filter(({ ended }) => ended > began)
  const off = away.filter((span) => Number.isFinite(span.began))
  const concerning = outages.filter((outage) => outage.receiver === null || outage.receiver === receiver)
  const others = new Set(
    ofType
      .filter((one) => one.began <= receivedAt && (one.ended === null || one.ended > receivedAt))
      .map((one) => one.receiver),
  )
  others.delete(receiver)
  return {
    otherReceivers: others.size,
    offPeriods: away.map((span) => ({ ...span, began: Math.max(span.began, began) })),
    refusedAt: refused.filter((at) => at >= began && at < receivedAt),
    earliestAttempt: earliestAttempt(receivedAt, [...off, ...concerning]),
  }
}

/** The times between and before the periods; after the last period, until the receiver was last seen off. */
function offPeriodsOf(periods: readonly ReceiverPeriod[], seenOff: number): Span[] {
  const away: Span[] = []
  let from = Number.NEGATIVE_INFINITY
  for (const { began, ended } of periods.toSorted((a, b) => a.began - b.began)) {
    if (began > from) away.push({ began: from, ended: began })
    from = Math.max(from, ended ?? Number.POSITIVE_INFINITY)
  }
  if (seenOff > from) away.push({ began: from, ended: seenOff })
  return away
}

/**
 * The earliest time at which the sender may have first attempted a delivery that arrived at `receivedAt`: an
 * outage from which the waits of §6.8 lead to another outage (or the same) in which the last attempt before
 * it failed. Null when there is none. Milliseconds since 1970.
 */
export function earliestAttempt(receivedAt: number, outages: readonly Span[]): number | null {
  let earliest: number | null = null
  for (let retries = 1; retries < maxAttempts; retries++) {
    if (!firstOverlap(receivedAt, retrySpan(retries, 1), outages)) continue
    const first = firstOverlap(receivedAt, retrySpan(1, retries), outages)
    // The more retries, the earlier.
    if (first !== null) earliest = first
  }
  return earliest
}

/** The first moment within an outage that is the given time before the arrival. */
function firstOverlap(receivedAt: number, run: RetrySpan, outages: readonly Span[]): number | null {
  const [from, until] = [receivedAt - run.latest * 1000, receivedAt - run.earliest * 1000]
  const firsts = outages.flatMap(({ began, ended }) =>
    ended >= from && began <= until ? [Math.max(began, from)] : [],
  )
  return firsts.length === 0 ? null : Math.min(...firsts)
}
