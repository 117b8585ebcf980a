import { finalRank, isDirection, isFailedCreation, isOnHold, rankOf } from '#lib/deliveries/rules/steps.ts'
import { textField } from '#lib/deliveries/rules/text-field.ts'
import type { DeliveryGroup } from './group-deliveries.ts'
import { lastDelivered, mayHaveHappenedBefore, wasSentAgainAfter } from './order-evidence.ts'
import type { EventFlag } from './subject-event.ts'

/**
 * Where rank does not order two events, arrival order is used. It is flagged unsure when attempts for the
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
  if (stateOf(earlier) === stateOf(later))
    return isDirection(later.envelope.type) && earlier.first.fingerprint !== later.first.fingerprint
  const [before, after] = [rankOf(earlier.envelope), rankOf(later.envelope)]
  if (isDirection(later.envelope.type)) {
    if (isOnHold(earlier.envelope) || isOnHold(later.envelope))
      return Math.max(before ?? 0, after ?? 0) < finalRank
    return before !== null && after !== null && before > after
  }
  return before === null || after === null || before >= after
}

/** The creation, or a repetition of the first, may be one that was tried after this failure of the one before. */
const mayBeCreatedAgain = (creation: DeliveryGroup, failure: DeliveryGroup, isFirst: boolean): boolean =>
  rankOf(creation.envelope) === 0 &&
  isFailedCreation(failure.envelope) &&
  !(isFirst && lastDelivered(creation, failure) === creation.first)

const stateOf = ({ envelope }: DeliveryGroup) =>
  JSON.stringify([envelope.subType, textField(envelope.data, 'status')])
