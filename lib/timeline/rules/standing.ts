import { stateOf } from '#lib/deliveries/rules/event-states.ts'
import { type EventType, isEventType } from '#lib/deliveries/rules/event-types.ts'
import { textField } from '#lib/deliveries/rules/text-field.ts'
import type { SubjectFold } from './fold.ts'
import { statusOf } from './status.ts'
import type { SubjectEvent } from './subject-event.ts'

/** An account, a person or a company has a status for each type of event. Times in ms since 1970. */
export interface Standing {
  readonly type: EventType
  /** The deciding event gave this state; null when it gave none. */
  readonly state: string | null
  /** This event decides. */
  readonly eventId: string
  /** A bank account has the latest currency that was given. */
  readonly currency: string | null
  /** The latest event that names a user or entity names this one. */
  readonly entityUuid: string | null
  /** The first of these events was first received at this time. */
  readonly startedAt: number
  /** The latest of these events that no rule placed was received at this time. */
  readonly lastMoveAt: number
}

/** Each type of §2.3 about the subject has one; a transaction has none, because it has its own row. */
export function standingsOf({ subject, events }: SubjectFold): Standing[] {
  if (subject.kind !== 'bank-account' && subject.kind !== 'entity') return []
  const byType = Map.groupBy(events, ({ envelope }) => envelope.type ?? '')
  return [...byType].flatMap(([type, some]) => {
    const { eventId, subType, reason } = statusOf(some)
    if (!isEventType(type) || eventId === null) return []
    return {
      type,
      state: short(stateOf({ type, subType, status: reason })),
      eventId,
      currency: subject.kind === 'bank-account' ? short(latest(some, currencyOf)) : null,
      entityUuid: latest(some, ({ envelope }) => envelope.uuid?.trim().toLowerCase() || null),
      startedAt: extreme(some, Math.min),
      lastMoveAt: extreme(
        some.filter(({ placedBefore }) => placedBefore === null),
        Math.max,
      ),
    }
  })
}

const currencyOf = ({ envelope }: SubjectEvent) => textField(envelope.data, 'currency')

function latest<T>(events: readonly SubjectEvent[], read: (event: SubjectEvent) => T | null): T | null {
  const found = events.findLast((event) => read(event) !== null)
  return found ? read(found) : null
}

/** Lists find these by an index, whose entries are short. */
const short = (text: string | null) => text?.slice(0, longest).toWellFormed() ?? null
const longest = 100

/** The loop takes any number of events; spreading them into `Math.max` would overflow the stack. */
const extreme = (events: readonly SubjectEvent[], pick: (a: number, b: number) => number) =>
  events.map(({ firstReceivedAt }) => firstReceivedAt).reduce((a, b) => pick(a, b))
