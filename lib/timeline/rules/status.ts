import type { Envelope } from '#lib/deliveries/rules/envelope.ts'
import { finalRank, isDirection, isFailedCreation, isOnHold } from '#lib/deliveries/rules/steps.ts'
import { textField } from '#lib/deliveries/rules/text-field.ts'
import type { EventFlag, SubjectEvent } from './subject-event.ts'

/** Where a subject stands, taken from one of its events; all null when it has none. */
export interface SubjectStatus {
  /** The event that says so. */
  readonly eventId: string | null
  readonly type: string | null
  /** The step, for transactions. */
  readonly subType: string | null
  /** `data.status`: the finer reason of a step, or the status itself for accounts and users. */
  readonly reason: string | null
  readonly rank: number | null
  /** Another event of the same rank says the contrary. */
  readonly conflict: boolean
  /** Milliseconds since 1970 at which that event was first received. */
  readonly since: number | null
}

/** The status that a timeline adds up to. */
export function statusOf(timeline: readonly SubjectEvent[]): SubjectStatus {
  const event = decidingEvent(timeline)
  return {
    eventId: event?.id ?? null,
    type: event?.envelope.type ?? null,
    subType: event?.envelope.subType ?? null,
    reason: textField(event?.envelope.data ?? null, 'status'),
    rank: event?.rank ?? null,
    conflict: event?.flags.includes('conflict') ?? false,
    since: event?.firstReceivedAt ?? null,
  }
}

type Kind = Pick<Envelope, 'type' | 'subType'>

interface Ranked {
  readonly rank: number | null
}

/** What of a row of an event bears on where its subject stands. */
export interface RankedKind extends Kind, Ranked {}

const decidingEvent = (timeline: readonly SubjectEvent[]): SubjectEvent | undefined =>
  decidingOf(timeline, ({ envelope }) => envelope)

/**
 * The highest rank reached, the last among equals; a hold that nothing with a rank follows; else the last event. A transaction stands where its direction does, of two the one that began last.
 */
export function decidingOf<Event extends Ranked>(
  timeline: readonly Event[],
  kindOf: (event: Event) => Kind,
): Event | undefined {
  const types = new Set(timeline.map((event) => kindOf(event).type))
  const direction = [...types].findLast(isDirection)
  const deciding = direction ? timeline.filter((event) => kindOf(event).type === direction) : timeline
  let highest: Event | undefined
  let hold: Event | undefined
  for (const event of deciding) {
    const { type } = kindOf(event)
    if (isOnHold(kindOf(event))) hold = event
    if (event.rank === null) continue
    hold = undefined
    // Only a creation that is tried again, or what no retry can have brought, stands after a higher rank of its type.
    if (!highest || event.rank >= (highest.rank ?? 0) || type === kindOf(highest).type) highest = event
  }
  return hold ?? highest ?? deciding.at(-1)
}

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
function isDecisive(event: SubjectEvent, current: SubjectEvent): boolean {
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
