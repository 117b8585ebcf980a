import { textField } from './envelope.ts'
import type { DeliveryGroup } from './group-deliveries.ts'
import { firstRetryReachSeconds, threeRetriesReachSeconds } from './retry-schedule.ts'
import { echoSeconds, secondsBetween } from './same-or-new.ts'
import { finalRank, highestRank, isDirection, isOnHold, rankOf } from './steps.ts'
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
  #creation: Place | null = null
  #progress: Place | null = null
  /** The first hold that stands ahead of all but a creation, so that IN_PROGRESS may stand ahead of it. */
  #hold: Place | null = null

  /** What an event can only have happened before; null when it can have been the last so far. */
  before(entry: Entry): Place | null {
    const { rank } = entry
    const { envelope } = entry.group
    // ASSUMED: what has finished is not paused, and the first PENDING is the creation, before all else.
    if (isOnHold(envelope)) return this.#above(finalRank - 1)
    if (rank === 0 && isDirection(envelope.type) && !this.#creation) return this.#first
    if (rank === 1 && this.#hold && this.#cameLateToHold(entry, this.#hold)) return this.#hold
    return rank === null ? null : this.#above(rank)
  }

  /** `next` is what `place` was put in front of; null when it was appended. */
  add(place: Place, next: Place | null): void {
    if (this.#first === next) this.#first = place
    if (isOnHold(place.group.envelope) && !this.#above(1)) this.#hold ??= place
    if (place.rank === 0 && this.#creation) this.#hold = null
    if (place.rank === 0) this.#creation ??= place
    if (place.rank === 1) this.#progress ??= place
    for (let lower = 0; lower < (place.rank ?? 0); lower++) {
      // A hold it is put in front of stands before all that is above it.
      if (this.#above(lower) === next || next?.rank === null) this.#firstAbove[lower] = place
    }
  }

  /**
   * The first IN_PROGRESS after a hold was overtaken by it, rather than ended it, when attempts to tell of it failed:
   * it reached two endpoints at different times, or the creation had been late already.
   * ASSUMED: attempts fail at all endpoints alike, and for no more than three waits of §6.8.
   */
  #cameLateToHold({ group }: Entry, hold: Place): boolean {
    if (this.#progress || secondsBetween(hold.group.first, group.first) > threeRetriesReachSeconds)
      return false
    const unevenly = group.deliveries.some(
      ({ delivery, reason }) =>
        reason.kind === 'other-endpoint' && secondsBetween(group.first, delivery) > echoSeconds,
    )
    return unevenly || this.#creation?.flags.has('late') === true
  }

  #above(rank: number): Place | null {
    return this.#firstAbove[rank] ?? null
  }
}

/** The timeline as a linked list, so that a late event costs no more than any other. */
class Line {
  #first: Place | null = null
  #last: Place | null = null

  place(entry: Entry, next: Place | null, track: Track): void {
    const placedBefore = next ? (next.placedBefore ?? next.group.first.receivedAt) : null
    const place: Place = { ...entry, placedBefore, before: next ? next.before : this.#last, after: next }
    if (next) entry.flags.add('late')
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
 * Without ranks the last arrival counts, and is unsure when one retry could explain it: it came so soon after another
 * state that it may be the older one sent again, or an older one was sent again after it.
 * ASSUMED: one lost attempt (§6.8) is worth a mark; with six, hardly any order would be sure.
 */
function markUnsureOrder(groups: readonly DeliveryGroup[], flags: readonly Set<EventFlag>[]): void {
  const latestOfType = new Map<string | null, number>()
  groups.forEach((group, index) => {
    if (rankOf(group.envelope) !== null || isOnHold(group.envelope)) return
    const previousIndex = latestOfType.get(group.envelope.type)
    latestOfType.set(group.envelope.type, index)
    const previous = previousIndex === undefined ? undefined : groups[previousIndex]
    if (!previous || stateOf(previous) === stateOf(group)) return
    const seconds = (group.first.receivedAt - previous.first.receivedAt) / 1000
    if (seconds <= firstRetryReachSeconds || wasRepeatedAfter(previous, group))
      flags[index]?.add('order-unsure')
  })
}

const stateOf = ({ envelope }: DeliveryGroup) =>
  JSON.stringify([envelope.subType, textField(envelope.data, 'status')])

const wasRepeatedAfter = (earlier: DeliveryGroup, later: DeliveryGroup) =>
  earlier.deliveries.some(
    ({ delivery, reason }) => delivery.order > later.first.order && reason.kind !== 'other-endpoint',
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
