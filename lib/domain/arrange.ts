import { textField } from './envelope.ts'
import type { DeliveryGroup } from './group-deliveries.ts'
import { firstRetryReachSeconds } from './retry-schedule.ts'
import { finalRank, highestRank, isDirection, isOnHold, rankOf } from './steps.ts'
import type { EventFlag, SubjectEvent } from './subject-event.ts'

/**
 * Puts events, sorted by arrival, in the order in which they can have happened: arrival order, but an event of a
 * lower rank than one already reached goes before the first of higher rank, and is marked late.
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
    line.place({ group, rank: rankOf(group.envelope), flags: flags[index] ?? new Set() }, track)
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

/** For each rank, the first event in the timeline above it. Ranks of different event types are not compared. */
class Track {
  readonly #firstAbove: (Place | null)[] = Array.from({ length: highestRank + 1 }, () => null)

  firstAbove(rank: number): Place | null {
    return this.#firstAbove[rank] ?? null
  }

  /** `next` is what `place` was put in front of; null when it was appended. */
  add(place: Place, rank: number, next: Place | null): void {
    for (let lower = 0; lower < rank; lower++) {
      if (this.firstAbove(lower) === next) this.#firstAbove[lower] = place
    }
  }
}

/** The timeline as a linked list, so that a late event costs no more than any other. */
class Line {
  #first: Place | null = null
  #last: Place | null = null

  place(entry: Entry, track: Track): void {
    const next = entry.rank === null ? null : track.firstAbove(entry.rank)
    const placedBefore = next ? (next.placedBefore ?? next.group.first.receivedAt) : null
    const place: Place = { ...entry, placedBefore, before: next ? next.before : this.#last, after: next }
    if (next) entry.flags.add('late')
    if (place.before) place.before.after = place
    else this.#first = place
    if (next) next.before = place
    else this.#last = place
    if (entry.rank !== null) track.add(place, entry.rank, next)
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
