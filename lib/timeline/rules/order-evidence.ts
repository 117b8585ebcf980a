import {
  firstRetryEarliestSeconds,
  firstRetryLatestSeconds,
  isSingleWait,
  isSingleWaitOfPatientSender,
  matchRetrySpan,
} from '#lib/deliveries/rules/retry-schedule.ts'
import {
  finalRank,
  isDirection,
  isFailedCreation,
  isOnHold,
  isSameState,
  rankOf,
} from '#lib/deliveries/rules/steps.ts'
import { type DeliveryFact, type SameReason, secondsBetween, simultaneousSeconds } from './decide-repeat.ts'
import type { DeliveryGroup } from './group-deliveries.ts'
import type { EventFlag } from './subject-event.ts'

// The deliveries of two events show which of them happened first. See docs/timeline.md.

/**
 * `later` may have happened before `earlier` because its first attempts failed: our own downtime, a refusal, or
 * two endpoints that got it at different times show this. When nothing is known about the receiver, one attempt
 * may have been lost. ASSUMED: six lost attempts (§6.8) would flag almost every order.
 */
export function mayHaveHappenedBefore(earlier: DeliveryGroup, later: DeliveryGroup): boolean {
  const previous = lastDelivered(earlier, later)
  const seconds = secondsBetween(previous, later.first)
  const tried =
    wasAttemptedBefore(later, earlier) ||
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

/** ASSUMED: events that are sent within one second may arrive in another order, at all endpoints alike. */
const overtakingSeconds = 1

/**
 * The last repeated delivery of `earlier` before `later`: the event may have happened twice, with another one in
 * between that has not arrived yet. A lost answer explains a retry, but does not exclude that.
 */
const lastDelivered = ({ first, deliveries }: DeliveryGroup, later: DeliveryGroup): DeliveryFact =>
  deliveries.findLast(
    ({ delivery, reason }) => mayBeAnother.has(reason.kind) && delivery.order < later.first.order,
  )?.delivery ?? first

const mayBeAnother: ReadonlySet<SameReason['kind']> = new Set(['retry', 'repeated', 'unsure-answer'])

/**
 * The event arrived again at no retry wait of §6.8 and with nothing in between: an event in between may still be on its way.
 */
const isUnexplainedRepeat = (earlier: DeliveryGroup, later: DeliveryGroup) =>
  earlier.deliveries.some(({ delivery, reason }) => isNoRetry(reason) && delivery.order < later.first.order)

const isNoRetry = (reason: SameReason) =>
  (reason.kind === 'repeated' && reason.secondsAfter >= firstRetryEarliestSeconds) ||
  (reason.kind === 'unsure-answer' && matchRetrySpan(reason.secondsAfter) === null)

/** The event is known to have happened again: all receivers report it, and no retry of a patient sender is that old. */
export function hasHappenedAgain({ deliveries }: Pick<DeliveryGroup, 'deliveries'>): boolean {
  const [first] = deliveries
  if (first?.reason.kind !== 'happened-again' || first.reason.undecided) return false
  const { receiver, otherReceivers = 0 } = first.delivery
  const isAlone = deliveries.every(({ delivery }) => delivery.receiver === receiver)
  return !isSingleWaitOfPatientSender(first.reason.secondsAfter) && !(isAlone && otherReceivers > 0)
}

export const wasReceiverOff = ({ deliveries }: DeliveryGroup) =>
  deliveries.some(({ delivery: { offPeriods = [] } }) => offPeriods.length > 0)

/** Only refusals show this; arrival times alone do not. */
export const wasAttemptedBefore = (group: DeliveryGroup, other: DeliveryGroup) =>
  group.firstAttempt < group.first.receivedAt && group.firstAttempt < other.firstAttempt

const otherEndpoints = ({ first, deliveries }: DeliveryGroup) =>
  deliveries.flatMap(({ delivery, reason }) =>
    reason.kind === 'other-endpoint' ? [secondsBetween(first, delivery)] : [],
  )

export const reachedEndpointsApart = (group: DeliveryGroup) =>
  otherEndpoints(group).some((seconds) => seconds > simultaneousSeconds)

/**
 * One retry wait leads to it from a refusal before `previous`, but not from the last refusal, so its first
 * attempt is not known.
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

const wasSentAgainAfter = (earlier: DeliveryGroup, later: DeliveryGroup) =>
  earlier.deliveries.some(
    ({ delivery, reason }) =>
      delivery.order > later.first.order &&
      (reason.kind === 'retry' || reason.kind === 'repeated' || isNoRetry(reason)),
  )

/**
 * When rank does not order two events, the order of arrival is used. It is flagged unsure when attempts for the
 * second may have failed until the first arrived, or when the first was sent again after the second.
 */
export function markUnsureOrder(groups: readonly DeliveryGroup[], flags: readonly Set<EventFlag>[]): void {
  const earlierOfType = new Map<string | null, DeliveryGroup[]>()
  const firstOfType = new Map<string | null, DeliveryGroup>()
  groups.forEach((group, index) => {
    if (group.repeatUnsure) flags[index]?.add('repeat-unsure')
    const { type } = group.envelope
    const first = firstOfType.get(type) ?? group
    firstOfType.set(type, first)
    const before = earlierOfType.get(type) ?? []
    earlierOfType.set(type, [group, ...before].slice(0, maxOvertaking))
    const isUnsure = before.some(
      (earlier) =>
        (isOrderedByArrival(earlier, group) || mayBeCreatedAgain(earlier, group, earlier === first)) &&
        (mayHaveHappenedBefore(earlier, group) ||
          (earlier === before[0] && wasSentAgainAfter(earlier, group))),
    )
    if (isUnsure) flags[index]?.add('order-unsure')
  })
}

/** ASSUMED: no more than so many states overtake one another. */
const maxOvertaking = 6

/** Rank does not order these two events, and the opposite order would give another status, or other amounts. */
function isOrderedByArrival(earlier: DeliveryGroup, later: DeliveryGroup): boolean {
  if (isSameState(earlier.envelope, later.envelope))
    return isDirection(later.envelope.type) && earlier.first.fingerprint !== later.first.fingerprint
  const [before, after] = [rankOf(earlier.envelope), rankOf(later.envelope)]
  if (isDirection(later.envelope.type)) {
    if (isOnHold(earlier.envelope) || isOnHold(later.envelope))
      return Math.max(before ?? 0, after ?? 0) < finalRank
    return before !== null && after !== null && before >= after
  }
  return before === null || after === null || before >= after
}

/** The creation, or a repetition of the first, may be one that was tried after this failure of the one before. */
const mayBeCreatedAgain = (creation: DeliveryGroup, failure: DeliveryGroup, isFirst: boolean): boolean =>
  rankOf(creation.envelope) === 0 &&
  isFailedCreation(failure.envelope) &&
  (!isFirst || lastDelivered(creation, failure) !== creation.first || mayFollow(creation, failure))

/** We refused `later` before `earlier` came, and no attempt for `earlier` can have been made before, or it came once more. */
const mayFollow = (earlier: DeliveryGroup, later: DeliveryGroup) =>
  wasAttemptedBefore(later, earlier) &&
  (wasSentAgainAfter(earlier, later) ||
    earlier.deliveries.every(
      ({ delivery: { earliestAttempt } }) =>
        earliestAttempt === null || (earliestAttempt !== undefined && earliestAttempt > later.firstAttempt),
    ))
