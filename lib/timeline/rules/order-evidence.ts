import {
  firstRetryEarliestSeconds,
  firstRetryLatestSeconds,
  isSingleWait,
} from '#lib/deliveries/rules/retry-schedule.ts'
import { isDirection } from '#lib/deliveries/rules/steps.ts'
import { type DeliveryFact, secondsBetween, simultaneousSeconds } from './decide-repeat.ts'
import type { DeliveryGroup } from './group-deliveries.ts'

// What the deliveries of two events say about which of them happened first. See docs/timeline.md.

/**
 * Answers whether `later` may have happened before `earlier` because its first attempts failed: our own downtime, a refusal, or
 * two endpoints that got it at different times say so. Where nothing is known of the receiver, one attempt may have been
 * lost. ASSUMED: six lost attempts (§6.8) would flag almost every order.
 */
export function mayHaveHappenedBefore(earlier: DeliveryGroup, later: DeliveryGroup): boolean {
  const previous = lastDelivered(earlier, later)
  const seconds = secondsBetween(previous, later.first)
  const tried =
    (previous !== earlier.first && later.firstAttempt <= previous.receivedAt) ||
    mayHaveBeenRefused(later, previous) ||
    later.deliveries.some(
      ({ delivery: { earliestAttempt } }) =>
        typeof earliestAttempt === 'number' && earliestAttempt <= previous.receivedAt,
    )
  if (tried || isUnexplainedRepeat(earlier, later) || reachedEndpointsApart(later)) return true
  if (isDirection(later.envelope.type)) return false
  if (seconds < overtakingSeconds || arrivedInOppositeOrder(earlier, later)) return true
  return later.first.earliestAttempt === undefined && seconds <= firstRetryLatestSeconds
}

/** ASSUMED: what is sent within one second may arrive in another order, at all endpoints alike. */
const overtakingSeconds = 1

/**
 * The delivery of `earlier` just before `later`, of those that came once more although answered: the event may have
 * happened twice, with another one in between that has not arrived yet.
 */
export const lastDelivered = ({ first, deliveries }: DeliveryGroup, later: DeliveryGroup): DeliveryFact =>
  deliveries.findLast(
    ({ delivery, reason }) =>
      (reason.kind === 'retry' || reason.kind === 'repeated') && delivery.order < later.first.order,
  )?.delivery ?? first

/**
 * Arrived again at no retry wait of §6.8 and with nothing in between: an event in between may still be on its
 * way.
 */
const isUnexplainedRepeat = (earlier: DeliveryGroup, later: DeliveryGroup) =>
  earlier.deliveries.some(
    ({ delivery, reason }) =>
      reason.kind === 'repeated' &&
      reason.secondsAfter >= firstRetryEarliestSeconds &&
      delivery.order < later.first.order,
  )

export const wasReceiverOff = ({ deliveries }: DeliveryGroup) =>
  deliveries.some(({ delivery: { offPeriods = [] } }) => offPeriods.length > 0)

/** Known only from refusals; arrival times alone do not show it. */
export const wasAttemptedBefore = (group: DeliveryGroup, other: DeliveryGroup) =>
  group.firstAttempt < group.first.receivedAt && group.firstAttempt < other.firstAttempt

const otherEndpoints = ({ first, deliveries }: DeliveryGroup) =>
  deliveries.flatMap(({ delivery, reason }) =>
    reason.kind === 'other-endpoint' ? [secondsBetween(first, delivery)] : [],
  )

export const reachedEndpointsApart = (group: DeliveryGroup) =>
  otherEndpoints(group).some((seconds) => seconds > simultaneousSeconds)

/**
 * One retry wait leads to it from a refusal before `previous`, but not from the last refusal, so its first attempt is not
 * known.
 */
const mayHaveBeenRefused = ({ first, firstAttempt }: DeliveryGroup, previous: DeliveryFact) =>
  firstAttempt >= first.receivedAt &&
  (first.refusedAt ?? []).some(
    (at) => at <= previous.receivedAt && isSingleWait((first.receivedAt - at) / 1000),
  )

/** Some receiver got `later` before `earlier`. */
const arrivedInOppositeOrder = (earlier: DeliveryGroup, later: DeliveryGroup) =>
  firstOnEach(later).some(({ receiver, order }) =>
    firstOnEach(earlier).some((other) => other.receiver === receiver && other.order > order),
  )

const firstOnEach = ({ first, deliveries }: DeliveryGroup): DeliveryFact[] => [
  first,
  ...deliveries.flatMap(({ delivery, reason }) => (reason.kind === 'other-endpoint' ? [delivery] : [])),
]

export const wasSentAgainAfter = (earlier: DeliveryGroup, later: DeliveryGroup) =>
  earlier.deliveries.some(
    ({ delivery, reason }) =>
      delivery.order > later.first.order && (reason.kind === 'retry' || reason.kind === 'repeated'),
  )
