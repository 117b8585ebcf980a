import { textField } from './envelope.ts'
import type { DeliveryGroup } from './group-deliveries.ts'
import {
  firstRetryEarliestSeconds,
  firstRetryLatestSeconds,
  isSingleWait,
  thirdRetryLatestSeconds,
} from './retry-schedule.ts'
import { type DeliveryFact, echoSeconds, secondsBetween } from './same-or-new.ts'
import { finalRank, highestRank, isDirection, isFailedCreation, isOnHold, rankOf } from './steps.ts'
import type { EventFlag, SubjectEvent } from './subject-event.ts'

/**
 * Puts events, sorted by arrival, in the order in which they can have happened: arrival order, but what cannot
 * have come so late goes before what it was overtaken by, and is marked late. See docs/timeline.md.
 */
export function arrange(groups: readonly DeliveryGroup[]): SubjectEvent[] {
  const flags = groups.map(() => new Set<EventFlag>())
  markConflicts(groups, flags)
  markUnsureOrder(groups, flags)
  const tracks = new Map<string | null, Track>()
  const line = new Line()
  groups.forEach((group, index) => {
    const track = tracks.get(group.envelope.type) ?? new Track()
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

interface Place extends Entry {
  placedBefore: number | null
  before: Place | null
  after: Place | null
}

/** The events of one type, which alone are compared: for each rank, the first in the timeline above it. */
class Track {
  readonly #firstAbove: (Place | null)[] = Array.from({ length: highestRank + 1 }, () => null)
  #first: Place | null = null
  #last: Place | null = null
  #creation: Place | null = null
  #progress: Place | null = null
  /** The first hold that stands ahead of all but a creation, so that IN_PROGRESS may stand ahead of it. */
  #hold: Place | null = null

  /** What an event can only have happened before; null when it can have been the last so far. */
  before(entry: Entry): Place | null {
    const { rank } = entry
    const { envelope } = entry.group
    // ASSUMED: what has finished is not paused, and the first PENDING is the creation, before all else.
    if (isOnHold(envelope)) return this.#above(finalRank - 1) ?? this.#attemptedAfter(entry)
    if (rank === 0 && isDirection(envelope.type) && !this.#creation)
      return this.#isFirstSeen(entry) ? null : this.#first
    if (rank === 1 && this.#hold && this.#cameLateToHold(entry, this.#hold)) return this.#hold
    if (rank === null) return this.#attemptedAfter(entry)
    const above = this.#above(rank)
    if (above && this.#startsAgain(entry)) {
      this.#firstAbove.fill(null)
      return null
    }
    return above ?? this.#attemptedAfter(entry)
  }

  /** `next` is what `place` was put in front of; null when it was appended. */
  add(place: Place, next: Place | null): void {
    if (this.#first === next) this.#first = place
    if (next === null) this.#last = place
    if (isOnHold(place.group.envelope) && !this.#above(1)) this.#hold ??= place
    else if (next === this.#hold && (place.rank ?? 0) > 1) this.#hold = null
    if (place.rank === 0 && (this.#creation || next === null)) this.#hold = null
    if (place.rank === 0) this.#creation ??= place
    if (place.rank === 1) this.#progress ??= place
    for (let lower = 0; lower < (place.rank ?? 0); lower++) {
      const above = this.#above(lower)
      // What is put in front of a hold may stand before all that is above it, or behind.
      if (above === next || (next?.rank === null && (!above || standsBefore(place, above))))
        this.#firstAbove[lower] = place
    }
  }

  /**
   * The first IN_PROGRESS after a hold was overtaken by it, rather than ended it, when attempts to tell of it failed:
   * it reached two endpoints at different times, or the creation had been late already.
   * ASSUMED: attempts fail at all endpoints alike, and for no more than three waits of §6.8.
   */
  #cameLateToHold({ group }: Entry, hold: Place): boolean {
    if (this.#progress) return false
    if (wasAttemptedBefore(group, hold.group)) return true
    if (secondsBetween(hold.group.first, group.first) > thirdRetryLatestSeconds) return false
    return toldUnevenly(group) || this.#creation?.flags.has('late') === true
  }

  /**
   * The creation may have happened before any endpoint got this type, and PENDING be what ended the hold that alone
   * stands before it.
   */
  #isFirstSeen({ group }: Entry): boolean {
    const last = this.#last?.group
    return (
      last !== undefined &&
      isOnHold(last.envelope) &&
      this.#progress === null &&
      this.#above(0) === null &&
      wasAway(group)
    )
  }

  /**
   * A creation that had failed is tried again, rather than told late, when it had been told before, or when no attempt
   * to tell of it can have failed.
   */
  #startsAgain({ group }: Entry): boolean {
    const last = this.#last?.group
    if (!last || !isCreatedAgain(last, group)) return false
    if (wasAttemptedBefore(group, last)) return false
    return this.#creation !== null || wasAway(group) || !cameLate(last, group)
  }

  /** The first of those that arrived after we had refused this one, and whose order nothing else tells. */
  #attemptedAfter({ group, rank }: Entry): Place | null {
    let found: Place | null = null
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

  #above(rank: number): Place | null {
    return this.#firstAbove[rank] ?? null
  }
}

function standsBefore(place: Place, other: Place): boolean {
  for (let next = place.after; next; next = next.after) if (next === other) return true
  return false
}

/** The timeline as a linked list, so that a late event costs no more than any other. */
class Line {
  #first: Place | null = null
  #last: Place | null = null

  place(entry: Entry, next: Place | null, track: Track): void {
    const placedBefore = next ? (next.placedBefore ?? next.group.first.receivedAt) : null
    const place: Place = { ...entry, placedBefore, before: next ? next.before : this.#last, after: next }
    if (next) entry.flags.add('late').delete('order-unsure')
    if (place.before) place.before.after = place
    else this.#first = place
    if (next) next.before = place
    else this.#last = place
    track.add(place, next)
  }

  inOrder(): Place[] {
    const places: Place[] = []
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
 * Where ranks do not tell which of two states came last, the order of arrival counts, and is unsure when attempts to
 * tell of the second may have failed until the first had arrived, or the first was sent again after it.
 */
function markUnsureOrder(groups: readonly DeliveryGroup[], flags: readonly Set<EventFlag>[]): void {
  const earlierOfType = new Map<string | null, DeliveryGroup[]>()
  groups.forEach((group, index) => {
    if (group.repeatUnsure) flags[index]?.add('repeat-unsure')
    const { type } = group.envelope
    const before = earlierOfType.get(type) ?? []
    earlierOfType.set(type, [group, ...before].slice(0, lookBack))
    const isUnsure = before.some(
      (earlier) =>
        isOrderedByArrival(earlier, group) &&
        (cameLate(earlier, group) || (earlier === before[0] && wasRepeatedAfter(earlier, group))),
    )
    if (isUnsure) flags[index]?.add('order-unsure')
  })
}

/** ASSUMED: no more than so many states overtake one another. */
const lookBack = 6

/** Ranks say nothing of which of the two came first, and another order would be another status. */
function isOrderedByArrival(earlier: DeliveryGroup, later: DeliveryGroup): boolean {
  if (stateOf(earlier) === stateOf(later)) return false
  const [before, after] = [rankOf(earlier.envelope), rankOf(later.envelope)]
  if (isDirection(later.envelope.type))
    return (
      isOnHold(earlier.envelope) !== isOnHold(later.envelope) && Math.max(before ?? 0, after ?? 0) < finalRank
    )
  return before === null || after === null || before >= after
}

/** An account's creation that is told after it had failed. */
const isCreatedAgain = (earlier: DeliveryGroup, later: DeliveryGroup) =>
  isFailedCreation(earlier.envelope) && rankOf(later.envelope) === 0

/**
 * Whether `later` may have happened before `earlier`, since the first attempts to tell of it failed. Our own downtime
 * can have been in the way; two endpoints told of it at different times say that some attempt failed; told of it at
 * once, they say that none did. What one endpoint alone tells may have been one attempt late.
 * ASSUMED: without any such sign one lost attempt (§6.8) is worth a mark; with six, hardly any order would be sure.
 */
function cameLate(earlier: DeliveryGroup, later: DeliveryGroup): boolean {
  const told = lastTold(earlier, later)
  const seconds = secondsBetween(told, later.first)
  const tried =
    (told !== earlier.first && later.firstAttempt <= told.receivedAt) ||
    mayHaveBeenRefused(later, told) ||
    later.deliveries.some(
      ({ delivery: { earliestAttempt } }) =>
        typeof earliestAttempt === 'number' && earliestAttempt <= told.receivedAt,
    )
  if (tried || isUnexplained(earlier, later) || toldUnevenly(later)) return true
  if (isDirection(later.envelope.type)) return false
  if (toldOppositely(earlier, later)) return true
  const quiet = (later.first.quietSince ?? Number.POSITIVE_INFINITY) <= told.receivedAt
  return (quiet || seconds <= firstRetryLatestSeconds) && (!toldAtOnce(later) || toldUnevenly(earlier))
}

/**
 * The delivery of `earlier` just before `later`, of those that came once more although answered: what they tell may
 * have happened again, with something in between that is still on its way.
 */
const lastTold = ({ first, deliveries }: DeliveryGroup, later: DeliveryGroup): DeliveryFact =>
  deliveries.findLast(
    ({ delivery, reason }) =>
      (reason.kind === 'ladder' || reason.kind === 'repeated') && delivery.order < later.first.order,
  )?.delivery ?? first

/** It came once more, at no wait of §6.8 and with nothing in between: what did happen in between may still be on its way. */
const isUnexplained = (earlier: DeliveryGroup, later: DeliveryGroup) =>
  earlier.deliveries.some(
    ({ delivery, reason }) =>
      reason.kind === 'repeated' &&
      reason.secondsAfter >= firstRetryEarliestSeconds &&
      delivery.order < later.first.order,
  )

const wasAway = ({ deliveries }: DeliveryGroup) =>
  deliveries.some(({ delivery: { away = [] } }) => away.length > 0)

const hasFinished = ({ envelope }: DeliveryGroup) =>
  isDirection(envelope.type) && (rankOf(envelope) ?? 0) >= finalRank

/** Known from what we refused; the clock alone says nothing. */
const wasAttemptedBefore = (group: DeliveryGroup, other: DeliveryGroup) =>
  group.firstAttempt < group.first.receivedAt && group.firstAttempt < other.firstAttempt

const otherEndpoints = ({ first, deliveries }: DeliveryGroup) =>
  deliveries.flatMap(({ delivery, reason }) =>
    reason.kind === 'other-endpoint' ? [secondsBetween(first, delivery)] : [],
  )

const toldUnevenly = (group: DeliveryGroup) => otherEndpoints(group).some((seconds) => seconds > echoSeconds)

const toldAtOnce = (group: DeliveryGroup) => otherEndpoints(group).some((seconds) => seconds <= echoSeconds)

/** One wait leads to it from a refusal before `told`, though not from the last refusal, so that its first attempt is not known. */
const mayHaveBeenRefused = ({ first, firstAttempt }: DeliveryGroup, told: DeliveryFact) =>
  firstAttempt >= first.receivedAt &&
  (first.refused ?? []).some((at) => at <= told.receivedAt && isSingleWait((first.receivedAt - at) / 1000))

/** Some receiver was told of `later` before it was told of `earlier`. */
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

const wasRepeatedAfter = (earlier: DeliveryGroup, later: DeliveryGroup) =>
  earlier.deliveries.some(
    ({ delivery, reason }) =>
      delivery.order > later.first.order && (reason.kind === 'ladder' || reason.kind === 'repeated'),
  )

function eventOf({ group, rank, flags, placedBefore }: Place, position: number): SubjectEvent {
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
