import type { Envelope } from '#lib/deliveries/rules/envelope.ts'
import { isDirection, isOnHold } from '#lib/deliveries/rules/steps.ts'
import { textField } from '#lib/deliveries/rules/text-field.ts'
import type { SubjectEvent } from './subject-event.ts'

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

export const decidingEvent = (timeline: readonly SubjectEvent[]): SubjectEvent | undefined =>
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
