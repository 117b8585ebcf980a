import { finalRank, isDirection, isFailedCreation, isOnHold } from '#lib/deliveries/rules/steps.ts'
import { decidingEvent } from './status.ts'
import type { EventFlag, SubjectEvent } from './subject-event.ts'

/**
 * Marks what is unsure about an event as `decisive` where the other reading would have its type stand elsewhere now.
 * Whatever else is unsure is history that nobody acts upon. See docs/timeline.md.
 */
export function markDecisive(timeline: readonly SubjectEvent[]): SubjectEvent[] {
  const deciding = new Map(
    [...Map.groupBy(timeline, typeOf)].map(([type, events]) => [type, decidingEvent(events)]),
  )
  return timeline.map((event) => {
    const current = deciding.get(typeOf(event))
    return current && isDecisive(event, current)
      ? { ...event, flags: [...event.flags, 'decisive' as const].sort() }
      : event
  })
}

/**
 * Whether what is unsure about an event bears on where its type stands. `current` says where that is: in doubt if it may
 * have happened earlier, or may be over, or may only have been sent once more.
 */
export function isDecisive(event: SubjectEvent, current: SubjectEvent): boolean {
  const has = (flag: EventFlag) => event.flags.includes(flag)
  if (event.id === current.id) return !hasFinished(current) && (has('order-unsure') || has('repeat-unsure'))
  return (has('late') && mayStandNow(event, current)) || cameAgainSince(event, current)
}

/** It was received after what stands now, and only a rule placed it before that. */
function mayStandNow(event: SubjectEvent, current: SubjectEvent): boolean {
  if (!isAfter(firstOf(event), current)) return false
  if (isOnHold(event.envelope) || isOnHold(current.envelope)) return true
  // It may belong to a creation that was tried again.
  if (isFailedCreation(current.envelope)) return true
  return !hasFinished(current) && (event.rank ?? -1) >= (current.rank ?? -1)
}

/** It came again after what stands now, which may be over. What has finished is not. */
const cameAgainSince = (event: SubjectEvent, current: SubjectEvent) =>
  !hasFinished(current) &&
  isAfter(event.deliveries.findLast(({ reason }) => reason.undecided)?.delivery, current)

const isAfter = (delivery: { readonly order: bigint } | undefined, current: SubjectEvent) => {
  const first = firstOf(current)
  return delivery !== undefined && first !== undefined && delivery.order > first.order
}

const firstOf = ({ deliveries }: SubjectEvent) => deliveries[0]?.delivery

const hasFinished = ({ envelope, rank }: SubjectEvent) =>
  isDirection(envelope.type) && (rank ?? 0) >= finalRank

const typeOf = ({ envelope }: SubjectEvent) => envelope.type
