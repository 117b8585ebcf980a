import type { Envelope } from '#lib/deliveries/rules/envelope.ts'
import { retryWindowSeconds } from '#lib/deliveries/rules/retry-schedule.ts'
import { finalRank, isDirection, isFailedCreation, isOnHold, movesOf } from '#lib/deliveries/rules/steps.ts'
import { textField } from '#lib/deliveries/rules/text-field.ts'
import { hasHappenedAgain } from './order-evidence.ts'
import type { EventFlag, SubjectEvent } from './subject-event.ts'

/** The status of a subject comes from one of its events; all fields are null when it has none. */
export interface SubjectStatus {
  /** This event gives the status. */
  readonly eventId: string | null
  readonly type: string | null
  /** Transactions have their step here. */
  readonly subType: string | null
  /** `data.status` is the finer reason of a step, or the status itself for accounts and users. */
  readonly reason: string | null
  readonly rank: number | null
  /** Another event of the same rank contradicts it. */
  readonly conflict: boolean
}

/** The status follows from the whole timeline. */
export function statusOf(timeline: readonly SubjectEvent[]): SubjectStatus {
  const event = decidingEvent(timeline)
  return {
    eventId: event?.id ?? null,
    type: event?.envelope.type ?? null,
    subType: event?.envelope.subType ?? null,
    reason: textField(event?.envelope.data ?? null, 'status'),
    rank: event?.rank ?? null,
    conflict: event?.flags.includes('conflict') ?? false,
  }
}

type Kind = Pick<Envelope, 'type' | 'subType'>

interface Ranked {
  readonly rank: number | null
  /** The time is in milliseconds since 1970 or in ISO 8601. */
  readonly firstReceivedAt: number | string | Date
}

/** These columns of an event decide the status of its subject. */
export interface RankedKind extends Kind, Ranked {}

const decidingEvent = (timeline: readonly SubjectEvent[]): SubjectEvent | undefined =>
  decidingOf(timeline, ({ envelope }) => envelope)

/**
 * The deciding event is a hold that no event with a rank follows; else the last event of the highest rank; else
 * the last event. The last state of its type that no rule knows decides instead when no retry can have brought it from
 * before. A transaction has the status of its direction, or of the direction that began last.
 */
export function decidingOf<Event extends Ranked>(
  timeline: readonly Event[],
  kindOf: (event: Event) => Kind,
): Event | undefined {
  const moves = movesOf(timeline, (event) => kindOf(event).type)
  const deciding = moves.length > 0 ? moves : timeline
  let highest: Event | undefined
  let hold: Event | undefined
  for (const event of deciding) {
    const { type } = kindOf(event)
    if (isOnHold(kindOf(event))) hold = event
    if (event.rank === null) continue
    hold = undefined
    // A lower rank of the same type follows a higher one only when a creation is tried again, or when no retry
    // can have brought it.
    if (!highest || event.rank >= (highest.rank ?? 0) || type === kindOf(highest).type) highest = event
  }
  const known = hold ?? highest
  if (!known) return deciding.at(-1)
  const last = deciding.findLast((event) => kindOf(event).type === kindOf(known).type) ?? known
  return receivedAt(last) - receivedAt(known) < retryWindowSeconds * 1000 ? known : last
}

const receivedAt = ({ firstReceivedAt }: Ranked) => new Date(firstReceivedAt).getTime()

/**
 * A doubt about an event is `decisive` when the other reading would give its type another status now. Any other
 * doubt is history that nobody acts upon. See docs/timeline.md.
 */
export function markDecisive(timeline: readonly SubjectEvent[]): SubjectEvent[] {
  const byType = Map.groupBy(timeline, typeOf)
  const deciding = new Map([...byType].map(([type, events]) => [type, decidingEvent(events)]))
  return timeline.map((event) => {
    const current = deciding.get(typeOf(event))
    if (!current) return event
    // A state that no rule knows follows the current one, and may have happened before it.
    if (event !== current && event === byType.get(typeOf(event))?.at(-1))
      return withFlags(event, 'order-unsure', 'decisive')
    return isDecisive(event, current) ? withFlags(event, 'decisive') : event
  })
}

const withFlags = (event: SubjectEvent, ...more: readonly EventFlag[]): SubjectEvent => ({
  ...event,
  flags: [...new Set([...event.flags, ...more])].sort(),
})

/**
 * The doubt about an event matters for the status of its type. `current` gives that status: it is in doubt if
 * it may have happened earlier, may be over, or may only have been sent once more. An outcome is never over, but
 * the same one may have come with other amounts after it.
 */
function isDecisive(event: SubjectEvent, current: SubjectEvent): boolean {
  const has = (flag: EventFlag) => event.flags.includes(flag)
  if (event.id === current.id) return has('order-unsure') || (has('repeat-unsure') && !hasFinished(current))
  return (has('late') && mayStandNow(event, current)) || cameAgainSince(event, current)
}

/** The event was received after the current one, and only a rule placed it before. */
function mayStandNow(event: SubjectEvent, current: SubjectEvent): boolean {
  if (!isAfter(firstOf(event), current)) return false
  if (isOnHold(event.envelope) || isOnHold(current.envelope)) return true
  // The event may belong to a creation that was tried again.
  if (isFailedCreation(current.envelope)) return true
  if (hasFinished(current)) return false
  return hasHappenedAgain(event) || (event.rank ?? -1) >= (current.rank ?? -1)
}

/** The event came again after the current one, which may be over. A finished subject stays finished. */
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
