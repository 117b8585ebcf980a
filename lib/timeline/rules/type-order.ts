import {
  firstRetryLatestSeconds,
  retryWindowSeconds,
  thirdRetryLatestSeconds,
} from '#lib/deliveries/rules/retry-schedule.ts'
import {
  finalRank,
  highestRank,
  isDirection,
  isFailedCreation,
  isOnHold,
  rankOf,
} from '#lib/deliveries/rules/steps.ts'
import { secondsBetween } from './decide-repeat.ts'
import type { DeliveryGroup } from './group-deliveries.ts'
import {
  hasHappenedAgain,
  mayHaveHappenedBefore,
  reachedEndpointsApart,
  wasAttemptedBefore,
  wasReceiverOff,
} from './order-evidence.ts'
import type { EventFlag } from './subject-event.ts'

/** An entry is an event with the facts that decide its place. */
export interface Entry {
  readonly group: DeliveryGroup
  readonly rank: number | null
  readonly flags: Set<EventFlag>
}

/** A node is the place of an event in the timeline. */
export interface TimelineNode extends Entry {
  readonly placedBefore: number | null
  // biome-ignore-start lint/plugin: set while the order is made
  before: TimelineNode | null
  after: TimelineNode | null
  // biome-ignore-end lint/plugin: as above
}

/** Only events of one type are compared with each other. For each rank, the first timeline entry above that rank is kept. */
export class TypeOrder {
  readonly #firstAbove: (TimelineNode | null)[] = Array.from({ length: highestRank + 1 }, () => null)
  #first: TimelineNode | null = null
  #last: TimelineNode | null = null
  #creation: TimelineNode | null = null
  #progress: TimelineNode | null = null
  /** Only a creation precedes this hold, so IN_PROGRESS may be placed before it. */
  #hold: TimelineNode | null = null

  /** This event must precede the returned entry; null when it may be the latest. */
  before(entry: Entry): TimelineNode | null {
    const { rank } = entry
    const { envelope } = entry.group
    this.#forgetBeforeWindow(entry)
    // ASSUMED: a finished transaction is not paused, and the first PENDING is the creation, which precedes
    // everything.
    if (isOnHold(envelope)) return this.#firstAboveRank(finalRank - 1) ?? this.#attemptedAfter(entry)
    if (rank === 0 && isDirection(envelope.type) && !this.#creation && this.#first)
      return this.#mayPrecedeCreation(entry) || !isInWindow(this.#first, entry) ? null : this.#first
    if (rank === 1 && this.#hold && this.#mayPrecedeHold(entry, this.#hold) && this.#isInRanks(this.#hold))
      return this.#hold
    if (rank === null) return this.#attemptedAfter(entry)
    const firstAboveRank = this.#firstAboveRank(rank)
    if (firstAboveRank && (this.#isCreationRetry(entry) || isAgainAfter(firstAboveRank, entry))) {
      this.#firstAbove.fill(null)
      return null
    }
    return this.#attemptedAfter(entry, firstAboveRank) ?? firstAboveRank
  }

  /** `place` was put in front of `next`, which is null when it was appended. */
  add(place: TimelineNode, next: TimelineNode | null): void {
    if (this.#first === next) this.#first = place
    if (next === null) this.#last = place
    if (isOnHold(place.group.envelope) && !this.#firstAboveRank(1)) this.#hold ??= place
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
   * The first IN_PROGRESS after a hold was delayed and did not end the hold if it reached two endpoints at different times,
   * or if the creation was late as well. ASSUMED: attempts fail at all endpoints alike, for at most three waits of §6.8.
   */
  #mayPrecedeHold({ group }: Entry, hold: TimelineNode): boolean {
    if (this.#progress) return false
    if (wasAttemptedBefore(group, hold.group)) return true
    if (secondsBetween(hold.group.first, group.first) > thirdRetryLatestSeconds) return false
    return reachedEndpointsApart(group) || this.#creation?.flags.has('late') === true
  }

  /** Progress in front of the hold would follow each creation, and precede every higher rank. */
  #isInRanks(hold: TimelineNode): boolean {
    const above = this.#firstAboveRank(1)
    return (above === null || standsBefore(hold, above)) && !hasCreationAfter(hold)
  }

  /**
   * The creation may have happened before any endpoint was subscribed, so that this PENDING ended the hold that
   * alone precedes it.
   */
  #mayPrecedeCreation({ group }: Entry): boolean {
    const last = this.#last?.group
    return (
      last !== undefined &&
      isOnHold(last.envelope) &&
      this.#firstAboveRank(0) === null &&
      wasReceiverOff(group)
    )
  }

  /**
   * A failed creation was retried and not delivered late if it had been delivered before, or if no attempt can have failed.
   */
  #isCreationRetry({ group }: Entry): boolean {
    const last = this.#last?.group
    if (!last || !isCreatedAgain(last, group)) return false
    if (wasAttemptedBefore(group, last)) return false
    return this.#creation !== null || wasReceiverOff(group) || !mayHaveHappenedBefore(last, group)
  }

  /**
   * This event arrived first after we refused the given one, and nothing else decides their order. The given one stands
   * before `next` in any case. Outcomes that differ contradict each other, and keep the order of arrival.
   */
  #attemptedAfter({ group, rank }: Entry, next: TimelineNode | null = null): TimelineNode | null {
    let found: TimelineNode | null = null
    const tried = group.firstAttempt
    if (tried >= group.first.receivedAt) return null
    const { type, subType } = group.envelope
    for (
      let place = next ? next.before : this.#last;
      place && place !== this.#creation;
      place = place.before
    ) {
      const { envelope, firstAttempt } = place.group
      if (envelope.type !== type) continue
      if (firstAttempt < tried) break
      if (place.rank !== null && place.rank < (rank ?? 0)) break
      if (hasFinished(group) && envelope.subType !== subType) break
      found = place
    }
    return found
  }

  #firstAboveRank(rank: number): TimelineNode | null {
    return this.#firstAbove[rank] ?? null
  }

  /**
   * Entries are forgotten that were received too long ago for this event, or any later one, to be a retry from
   * before them. §6.8
   */
  #forgetBeforeWindow(entry: Entry): void {
    for (const [rank, first] of this.#firstAbove.entries()) {
      let place = first
      while (place && !(this.#isAbove(place, rank) && isInWindow(place, entry))) place = place.after
      this.#firstAbove[rank] = place
    }
  }

  #isAbove({ rank, group }: TimelineNode, other: number): boolean {
    return (rank ?? 0) > other && group.envelope.type === this.#first?.group.envelope.type
  }
}

/** A retry may still bring this event from before `place`. §6.8 */
const isInWindow = ({ placedBefore, group }: TimelineNode, entry: Entry): boolean =>
  entry.group.first.receivedAt - (placedBefore ?? group.first.receivedAt) < retryWindowSeconds * 1000

/**
 * The event is known to have happened again, and not to be delayed, so its type continues from it. ASSUMED: one attempt for
 * it may have been lost without a trace.
 */
const isAgainAfter = ({ group: reached }: TimelineNode, { group }: Entry): boolean =>
  hasHappenedAgain(group) &&
  secondsBetween(reached.first, group.first) > firstRetryLatestSeconds &&
  !mayHaveHappenedBefore(reached, group)

function hasCreationAfter({ group, after }: TimelineNode): boolean {
  for (let place = after; place; place = place.after)
    if (place.rank === 0 && place.group.envelope.type === group.envelope.type) return true
  return false
}

function standsBefore(place: TimelineNode, other: TimelineNode): boolean {
  for (let next = place.after; next; next = next.after) if (next === other) return true
  return false
}

/** An account's creation arrives after the creation failed. */
const isCreatedAgain = (earlier: DeliveryGroup, later: DeliveryGroup) =>
  isFailedCreation(earlier.envelope) && rankOf(later.envelope) === 0

const hasFinished = ({ envelope }: DeliveryGroup) =>
  isDirection(envelope.type) && (rankOf(envelope) ?? 0) >= finalRank
