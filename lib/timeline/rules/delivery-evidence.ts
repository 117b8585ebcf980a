import {
  maxAttempts,
  type RetrySpan,
  retrySpan,
  retryWindowSeconds,
} from '#lib/deliveries/rules/retry-schedule.ts'
import type { DeliveryFact, Span } from './decide-repeat.ts'

/** The evidence is kept beside a delivery; all of it is known, or nothing. */
export type DeliveryEvidence = Required<
  Pick<DeliveryFact, 'otherReceivers' | 'offPeriods' | 'refusedAt' | 'earliestAttempt'>
>

/** A receiver got these types in this period; `*` means all. Milliseconds since 1970. */
export interface ReceiverPeriod {
  readonly receiver: string
  /** `began` is never later than the real start, so that an endpoint is not taken to be newer than it is. */
  readonly began: number
  /** `ended` is never earlier than the real end; null while it lasts. */
  readonly ended: number | null
  readonly events: readonly string[]
  /** The receiver was last seen like this at this time. */
  readonly lastSeenAt: number
}

/** Attempts may not have reached us in an outage; `receiver` is null when it concerns all receivers. */
export interface OutagePeriod extends Span {
  readonly receiver: string | null
}

interface Arrival {
  readonly receivedAt: number
  readonly receiver: string
  readonly type: string | null
}

/**
 * The evidence for a delivery comes from what is known about all receivers; null when nothing is known about
 * its own receiver.
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

/** The off periods are between and before the given periods; after the last one, until the receiver was last seen off. */
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
 * The sender may have first attempted the delivery as early as this: in an outage from which the waits of §6.8
 * lead to another outage (or the same) in which the last attempt before `receivedAt` failed. Null when there is
 * none. Milliseconds since 1970.
 */
export function earliestAttempt(receivedAt: number, outages: readonly Span[]): number | null {
  let earliest: number | null = null
  for (let retries = 1; retries < maxAttempts; retries++) {
    if (!firstOverlap(receivedAt, retrySpan(retries, 1), outages)) continue
    const first = firstOverlap(receivedAt, retrySpan(1, retries), outages)
    // More retries give an earlier time.
    if (first !== null) earliest = first
  }
  return earliest
}

/** The result is the first moment within an outage that is the given time before the arrival. */
function firstOverlap(receivedAt: number, run: RetrySpan, outages: readonly Span[]): number | null {
  const [from, until] = [receivedAt - run.latest * 1000, receivedAt - run.earliest * 1000]
  const firsts = outages.flatMap(({ began, ended }) =>
    ended >= from && began <= until ? [Math.max(began, from)] : [],
  )
  return firsts.length === 0 ? null : Math.min(...firsts)
}
