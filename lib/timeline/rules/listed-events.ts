import { isDirection } from '#lib/deliveries/rules/steps.ts'
import type { EventFlag } from './subject-event.ts'

interface Placed {
  readonly id: string
  readonly cameAgainId: string | null
}

/**
 * Pages list a repeated event where it came last when the sender does not say whether it is new. All other
 * events keep their place. Ids are in the order of arrival.
 */
export function raiseRepeated<T extends Placed>(timeline: readonly T[]): T[] {
  const shown = timeline.filter((event) => !isRaised(event))
  for (const event of timeline.filter(isRaised)) {
    const before = shown.findLastIndex((other) => placeOf(other) < placeOf(event))
    shown.splice(before + 1, 0, event)
  }
  return shown
}

/** The event has two places: its own, and where it came again. */
export const isRaised = ({ id, cameAgainId }: Placed): boolean => cameAgainId !== null && cameAgainId !== id

/** Lists that show the newest first use this place: where the event came, or where it came again. */
export const placeOf = ({ id, cameAgainId }: Placed): string => cameAgainId ?? id

interface Listed {
  readonly id: string
  readonly subjectId: string
  readonly type: string | null
  readonly flags: readonly EventFlag[]
}

/**
 * The list shows the newest first. The result has the id of the last event of each type that occurs more than once and gives
 * a status. It claims no order of what happened. A transaction's steps have their own order.
 */
export function latestWords(newestFirst: readonly Listed[]): ReadonlySet<string> {
  const said = newestFirst.filter(({ type, flags }) => !isDirection(type) && !flags.includes('late'))
  const byType = Map.groupBy(said, ({ subjectId, type }) => `${subjectId} ${type}`)
  return new Set([...byType.values()].flatMap(([latest, earlier]) => (latest && earlier ? [latest.id] : [])))
}
