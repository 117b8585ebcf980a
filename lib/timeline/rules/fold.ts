import { amountField, type Envelope } from '#lib/deliveries/rules/envelope.ts'
import { directions, finalRank, isDirection, rankOf } from '#lib/deliveries/rules/steps.ts'
import type { Subject } from '#lib/deliveries/rules/subject.ts'
import { amountNames } from '#lib/deliveries/rules/transaction-fields.ts'
import type { DeliveryFact } from './decide-repeat.ts'
import { type DeliveryGroup, groupDeliveries } from './group-deliveries.ts'
import { markUnsureOrder } from './order-evidence.ts'
import { markDecisive, type SubjectStatus, statusOf } from './status.ts'
import type { EventFlag, SubjectEvent } from './subject-event.ts'
import { type Entry, type TimelineNode, TypeOrder } from './type-order.ts'

export type { DeliveryFact, SameReason } from './decide-repeat.ts'
export type { SubjectStatus } from './status.ts'
export type { EventFlag, ReasonedDelivery, SubjectEvent } from './subject-event.ts'

/** The fold gives everything about a subject: its events in timeline order, and its status. */
export interface SubjectFold {
  readonly subject: Subject
  readonly events: readonly SubjectEvent[]
  readonly status: SubjectStatus
}

/**
 * A subject's timeline is made from its deliveries. Only the set of facts counts: not their order, batches or
 * repetitions. `envelopes` are by fingerprint; a fingerprint without one is an unreadable body.
 */
export function foldSubject(
  subject: Subject,
  facts: readonly DeliveryFact[],
  envelopes: ReadonlyMap<string, Envelope>,
): SubjectFold {
  const events = markDecisive(arrangeTimeline(groupDeliveries(sortByArrival(facts), envelopes)))
  return { subject, events, status: statusOf(events) }
}

/** Each fact occurs once, in order of arrival. */
export function sortByArrival(facts: readonly DeliveryFact[]): DeliveryFact[] {
  const byId = new Map(facts.map((fact) => [fact.id, fact]))
  return [...byId.values()].sort((a, b) => (a.order < b.order ? -1 : 1))
}

/**
 * Events keep the order of arrival, except that an event which cannot have happened so late is moved before the
 * event that overtook it, and flagged `late`. See docs/timeline.md.
 */
function arrangeTimeline(groups: readonly DeliveryGroup[]): SubjectEvent[] {
  const flags = groups.map(() => new Set<EventFlag>())
  markConflicts(groups, flags)
  markUnsureOrder(groups, flags)
  markUnreadableAmounts(groups, flags)
  const tracks = new Map<string | null, TypeOrder>()
  const line = new LinkedTimeline()
  groups.forEach((group, index) => {
    const track = tracks.get(group.envelope.type) ?? new TypeOrder()
    tracks.set(group.envelope.type, track)
    const entry = { group, rank: rankOf(group.envelope), flags: flags[index] ?? new Set() }
    line.place(entry, track.before(entry), track)
  })
  return line.inOrder().map(eventOf)
}

/** The timeline is a linked list, so that inserting a late event costs as little as appending. */
class LinkedTimeline {
  #first: TimelineNode | null = null
  #last: TimelineNode | null = null

  place(entry: Entry, next: TimelineNode | null, track: TypeOrder): void {
    const placedBefore = next ? (next.placedBefore ?? next.group.first.receivedAt) : null
    const place: TimelineNode = {
      ...entry,
      placedBefore,
      before: next ? next.before : this.#last,
      after: next,
    }
    if (next) entry.flags.add('late').delete('order-unsure')
    if (place.before) place.before.after = place
    else this.#first = place
    if (next) next.before = place
    else this.#last = place
    track.add(place, next)
  }

  inOrder(): TimelineNode[] {
    const places: TimelineNode[] = []
    for (let place = this.#first; place; place = place.after) places.push(place)
    return places
  }
}

/**
 * Two outcomes of one transaction and direction exclude each other, such as SUCCESS and FAILED. Its page says that its
 * events contradict each other.
 */
function markConflicts(groups: readonly DeliveryGroup[], flags: readonly Set<EventFlag>[]): void {
  for (const direction of directions) {
    const isOutcome = ({ envelope }: DeliveryGroup) =>
      envelope.type === direction && rankOf(envelope) === finalRank
    const outcomes = new Set(groups.filter(isOutcome).map(({ envelope }) => envelope.subType))
    if (outcomes.size < 2) continue
    groups.forEach((group, index) => {
      if (isOutcome(group)) flags[index]?.add('conflict')
    })
  }
}

function markUnreadableAmounts(groups: readonly DeliveryGroup[], flags: readonly Set<EventFlag>[]): void {
  groups.forEach(({ envelope: { type, data } }, index) => {
    if (isDirection(type) && amountNames.some((name) => amountField(data, name) === 'unreadable'))
      flags[index]?.add('amount-not-readable')
  })
}

function eventOf({ group, rank, flags, placedBefore }: TimelineNode, position: number): SubjectEvent {
  const cameAgain = group.deliveries.findLast(({ reason }) => reason.undecided)?.delivery
  return {
    id: group.first.id,
    fingerprint: group.first.fingerprint,
    envelope: group.envelope,
    deliveries: group.deliveries,
    position,
    rank,
    firstReceivedAt: group.first.receivedAt,
    lastReceivedAt: group.deliveries.at(-1)?.delivery.receivedAt ?? group.first.receivedAt,
    placedBefore,
    cameAgainId: cameAgain?.id ?? null,
    cameAgainAt: cameAgain?.receivedAt ?? null,
    flags: [...flags].sort(),
  }
}

/**
 * `rulesVersion` must be raised whenever the same deliveries would give different rows: databases are then
 * rebuilt automatically (decision 0030). `lib/timeline/projector/rules-version.test.ts` detects that.
 */
export const rulesVersion = 17
