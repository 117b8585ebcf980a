import { textField } from '#lib/domain/delivery/envelope.ts'
import {
  finalRank,
  highestRank,
  isDirection,
  isFailedCreation,
  isOnHold,
  rankOf,
} from '#lib/domain/delivery/steps.ts'
import {
  firstRetryEarliestSeconds,
  firstRetryLatestSeconds,
  isSingleWait,
  thirdRetryLatestSeconds,
} from '#lib/domain/retry/retry-schedule.ts'
import { type DeliveryFact, secondsBetween, simultaneousSeconds } from './decide-repeat.ts'
import type { DeliveryGroup } from './group-deliveries.ts'
import type { EventFlag, SubjectEvent } from './subject-event.ts'

/**
 * Orders events for the timeline. Arrival order is kept, except that an event which cannot have happened so
 * late is moved before the event that overtook it, and flagged `late`. See docs/timeline.md.
 */
export function arrangeTimeline(groups: readonly DeliveryGroup[]): SubjectEvent[] {
  const flags = groups.map(() => new Set<EventFlag>())
  markConflicts(groups, flags)
  markUnsureOrder(groups, flags)
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

interface Entry {
  readonly group: DeliveryGroup
  readonly rank: number | null
  readonly flags: Set<EventFlag>
}

interface TimelineNode extends Entry {
  readonly placedBefore: number | null
  // biome-ignore-start lint/plugin: set while the order is made
  before: TimelineNode | null
  after: TimelineNode | null
  // biome-ignore-end lint/plugin: as above
}

/**
 * Events of one type, which are the only ones compared with each other. Keeps, for each rank, the first
 * timeline entry above that rank.
 */
class TypeOrder {
  readonly #firstAbove: (TimelineNode | null)[] = Array.from({ length: highestRank + 1 }, () => null)
  #first: TimelineNode | null = null
  #last: TimelineNode | null = null
  #creation: TimelineNode | null = null
  #progress: TimelineNode | null = null
  /** The first hold preceded only by a creation, so that IN_PROGRESS may be placed before it. */
  #hold: TimelineNode | null = null

  /** The entry that this event must precede; null when the event may be the latest. */
  before(entry: Entry): TimelineNode | null {
    const { rank } = entry
    const { envelope } = entry.group
    // ASSUMED: a finished transaction is not paused, and the first PENDING is the creation, which precedes
    // everything.
    if (isOnHold(envelope)) return this.#firstAboveRank(finalRank - 1) ?? this.#attemptedAfter(entry)
    if (rank === 0 && isDirection(envelope.type) && !this.#creation)
      return this.#mayPrecedeCreation(entry) ? null : this.#first
    if (rank === 1 && this.#hold && this.#mayPrecedeHold(entry, this.#hold)) return this.#hold
    if (rank === null) return this.#attemptedAfter(entry)
    const firstAboveRank = this.#firstAboveRank(rank)
    if (firstAboveRank && this.#isCreationRetry(entry)) {
      this.#firstAbove.fill(null)
      return null
    }
    return firstAboveRank ?? this.#attemptedAfter(entry)
  }

  /** `next` is what `place` was put in front of; null when it was appended. */
  add(place: TimelineNode, next: TimelineNode | null): void {
    if (this.#first === next) this.#first = place
    if (next === null) this.#last = place
    if (isOnHold(place.group.envelope) && !this.#firstAboveRank(1)) this.#hold ??= place
    else if (next === this.#hold && (place.rank ?? 0) > 1) this.#hold = null
    if (place.rank === 0 && (this.#creation || next === null)) this.#hold = null
    if (place.rank === 0) this.#creation ??= place
    if (place.rank === 1) this.#progress ??= place
    for (let lower = 0; lower < (place.rank ?? 0); lower++) {
      const firstAboveRank = this.#firstAboveRank(lower)
      // An event placed before a hold may precede or follow the entries above its rank.
      if (
        firstAboveRank === next ||
        (next?.rank === null && (!firstAboveRank || standsBefore(place, firstAboveRank)))
      )
        this.#firstAbove[lower] = place
    }
  }

  /**
   * Whether the first IN_PROGRESS after a hold was delayed rather than ending the hold: it reached two
   * endpoints at different times, or the creation was late as well. ASSUMED: attempts fail at all endpoints
   * alike, for at most three waits of §6.8.
   */
  #mayPrecedeHold({ group }: Entry, hold: TimelineNode): boolean {
    if (this.#progress) return false
    if (wasAttemptedBefore(group, hold.group)) return true
    if (secondsBetween(hold.group.first, group.first) > thirdRetryLatestSeconds) return false
    return reachedEndpointsApart(group) || this.#creation?.flags.has('late') === true
  }

  /**
   * Whether the creation may have happened before any endpoint was subscribed, so that this PENDING ended the
   * hold that alone precedes it.
   */
  #mayPrecedeCreation({ group }: Entry): boolean {
    const last = this.#last?.group
    return (
      last !== undefined &&
      isOnHold(last.envelope) &&
      this.#progress === null &&
      this.#firstAboveRank(0) === null &&
      wasReceiverOff(group)
    )
  }

  /**
   * Whether a failed creation was retried rather than delivered late: it had been delivered before, or no
   * attempt can have failed.
   */
  #isCreationRetry({ group }: Entry): boolean {
    const last = this.#last?.group
    if (!last || !isCreatedAgain(last, group)) return false
    if (wasAttemptedBefore(group, last)) return false
    return this.#creation !== null || wasReceiverOff(group) || !mayHaveHappenedBefore(last, group)
  }

  /** The first event that arrived after we refused this one and whose order nothing else decides. */
  #attemptedAfter({ group, rank }: Entry): TimelineNode | null {
    let found: TimelineNode | null = null
    const tried = group.firstAttempt
    if (tried >= group.first.receivedAt || hasFinished(group)) return null
    for (let place = this.#last; place && place !== this.#creation; place = place.before) {
      if (place.group.envelope.type !== group.envelope.type) continue
      if (place.group.firstAttempt < tried) break
      if (rank !== null && place.rank !== null && place.rank < rank) break
      found = place
    }
    return found
  }

  #firstAboveRank(rank: number): TimelineNode | null {
    return this.#firstAbove[rank] ?? null
  }
}

function standsBefore(place: TimelineNode, other: TimelineNode): boolean {
  for (let next = place.after; next; next = next.after) if (next === other) return true
  return false
}

/** Timeline as a linked list, so that inserting a late event costs as little as appending. */
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

/** Two outcomes of one transaction that exclude each other, such as SUCCESS and FAILED. */
function markConflicts(groups: readonly DeliveryGroup[], flags: readonly Set<EventFlag>[]): void {
  const outcome = ({ envelope }: DeliveryGroup) =>
    isDirection(envelope.type) && rankOf(envelope) === finalRank ? envelope.subType : null
  const outcomes = new Set(groups.map(outcome).filter((step) => step !== null))
  if (outcomes.size < 2) return
  groups.forEach((group, index) => {
    if (outcome(group) !== null) flags[index]?.add('conflict')
  })
}

/**
 * Where rank does not order two events, arrival order is used. It is flagged unsure when attempts for the
 * second may have failed until the first arrived, or when the first was sent again after the second.
 */
function markUnsureOrder(groups: readonly DeliveryGroup[], flags: readonly Set<EventFlag>[]): void {
  const earlierOfType = new Map<string | null, DeliveryGroup[]>()
  groups.forEach((group, index) => {
    if (group.repeatUnsure) flags[index]?.add('repeat-unsure')
    const { type } = group.envelope
    const before = earlierOfType.get(type) ?? []
    earlierOfType.set(type, [group, ...before].slice(0, maxOvertaking))
    const isUnsure = before.some(
      (earlier) =>
        isOrderedByArrival(earlier, group) &&
        (mayHaveHappenedBefore(earlier, group) ||
          (earlier === before[0] && wasSentAgainAfter(earlier, group))),
    )
    if (isUnsure) flags[index]?.add('order-unsure')
  })
}

/** ASSUMED: no more than so many states overtake one another. */
const maxOvertaking = 6

/** Rank does not order these two events, and the opposite order would give another status. */
function isOrderedByArrival(earlier: DeliveryGroup, later: DeliveryGroup): boolean {
  if (stateOf(earlier) === stateOf(later)) return false
  const [before, after] = [rankOf(earlier.envelope), rankOf(later.envelope)]
  if (isDirection(later.envelope.type))
    return (
      isOnHold(earlier.envelope) !== isOnHold(later.envelope) && Math.max(before ?? 0, after ?? 0) < finalRank
    )
  return before === null || after === null || before >= after
}

/** An account's creation that arrives after the creation failed. */
const isCreatedAgain = (earlier: DeliveryGroup, later: DeliveryGroup) =>
  isFailedCreation(earlier.envelope) && rankOf(later.envelope) === 0

/**
 * Whether `later` may have happened before `earlier` because its first attempts failed: our own downtime, or
 * two endpoints that got it at different times, suggest so; two endpoints that got it at once exclude it.
 * With a single endpoint one attempt may have been lost. ASSUMED: one lost attempt (§6.8) justifies the flag,
 * six would flag almost every order.
 */
function mayHaveHappenedBefore(earlier: DeliveryGroup, later: DeliveryGroup): boolean {
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
  if (toldOppositely(earlier, later)) return true
  const quiet = (later.first.quietSince ?? Number.POSITIVE_INFINITY) <= previous.receivedAt
  return (
    (quiet || seconds <= firstRetryLatestSeconds) &&
    (!reachedEndpointsTogether(later) || reachedEndpointsApart(earlier))
  )
}

/**
 * The delivery of `earlier` just before `later`, of those that came once more although answered: the event may have
 * happened twice, with another one in between that has not arrived yet.
 */
const lastDelivered = ({ first, deliveries }: DeliveryGroup, later: DeliveryGroup): DeliveryFact =>
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

const wasReceiverOff = ({ deliveries }: DeliveryGroup) =>
  deliveries.some(({ delivery: { offPeriods = [] } }) => offPeriods.length > 0)

const hasFinished = ({ envelope }: DeliveryGroup) =>
  isDirection(envelope.type) && (rankOf(envelope) ?? 0) >= finalRank

/** Known only from refusals; arrival times alone do not show it. */
const wasAttemptedBefore = (group: DeliveryGroup, other: DeliveryGroup) =>
  group.firstAttempt < group.first.receivedAt && group.firstAttempt < other.firstAttempt

const otherEndpoints = ({ first, deliveries }: DeliveryGroup) =>
  deliveries.flatMap(({ delivery, reason }) =>
    reason.kind === 'other-endpoint' ? [secondsBetween(first, delivery)] : [],
  )

const reachedEndpointsApart = (group: DeliveryGroup) =>
  otherEndpoints(group).some((seconds) => seconds > simultaneousSeconds)

const reachedEndpointsTogether = (group: DeliveryGroup) =>
  otherEndpoints(group).some((seconds) => seconds <= simultaneousSeconds)

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
const toldOppositely = (earlier: DeliveryGroup, later: DeliveryGroup) =>
  firstOnEach(later).some(({ receiver, order }) =>
    firstOnEach(earlier).some((other) => other.receiver === receiver && other.order > order),
  )

const firstOnEach = ({ first, deliveries }: DeliveryGroup): DeliveryFact[] => [
  first,
  ...deliveries.flatMap(({ delivery, reason }) => (reason.kind === 'other-endpoint' ? [delivery] : [])),
]

const stateOf = ({ envelope }: DeliveryGroup) =>
  JSON.stringify([envelope.subType, textField(envelope.data, 'status')])

const wasSentAgainAfter = (earlier: DeliveryGroup, later: DeliveryGroup) =>
  earlier.deliveries.some(
    ({ delivery, reason }) =>
      delivery.order > later.first.order && (reason.kind === 'retry' || reason.kind === 'repeated'),
  )

function eventOf({ group, rank, flags, placedBefore }: TimelineNode, position: number): SubjectEvent {
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
    flags: [...flags].sort(),
  }
}
