import { stateOf } from '#lib/deliveries/rules/event-states.ts'
import { type EventType, isEventType } from '#lib/deliveries/rules/event-types.ts'
import { textField } from '#lib/deliveries/rules/text-field.ts'
import type { SubjectFold } from './fold.ts'
import { statusOf } from './status.ts'
import type { SubjectEvent } from './subject-event.ts'

/** How an account, a person or a company stands by the events of one type. Times in ms since 1970. */
export interface Standing {
  readonly type: EventType
  /** The state of the event that decides; null when it gives none. */
  readonly state: string | null
  /** The event that decides. */
  readonly eventId: string
  /** Of a bank account: the latest that was given. */
  readonly currency: string | null
  /** Whom the latest event that names somebody concerns. */
  readonly entityUuid: string | null
  /** The first receipt of any of these events. */
  readonly startedAt: number
  /** The latest of them that was not placed by rule. */
  readonly lastMoveAt: number
}

/** One for each type of §2.3 that speaks of the subject; none of a transaction, which has a row of its own. */
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

/** Over any number of events, where spreading into `Math.max` would overflow the stack. */
const extreme = (events: readonly SubjectEvent[], pick: (a: number, b: number) => number) =>
  events.map(({ firstReceivedAt }) => firstReceivedAt).reduce((a, b) => pick(a, b))
