import { isDirection } from '#lib/deliveries/rules/steps.ts'
import type { EventFlag } from './subject-event.ts'

interface Placed {
  readonly id: string
  readonly cameAgainId: string | null
}

/**
 * A subject's timeline as its pages show it: what came again, the sender not saying whether it happened again, stands where
 * it came last. All else keeps its place. Ids are in the order of arrival.
 */
export function raiseRepeated<T extends Placed>(timeline: readonly T[]): T[] {
  const shown = timeline.filter((event) => !isRaised(event))
  for (const event of timeline.filter(isRaised)) {
    const before = shown.findLastIndex((other) => placeOf(other) < placeOf(event))
    shown.splice(before + 1, 0, event)
  }
  return shown
}

/** What happened before it came again, and where it came again, are two places. */
export const isRaised = ({ id, cameAgainId }: Placed): boolean => cameAgainId !== null && cameAgainId !== id

/** Where an event stands in lists that show the newest first: where it came, or where it came again. */
export const placeOf = ({ id, cameAgainId }: Placed): string => cameAgainId ?? id

interface Listed {
  readonly id: string
  readonly subjectId: string
  readonly type: string | null
  readonly flags: readonly EventFlag[]
}

/**
 * Of a list that shows the newest first: the ids of what was said last by each type that says more than once where
 * something stands. It claims no order of what happened. A transaction's steps have one of their own.
 */
export function latestWords(newestFirst: readonly Listed[]): ReadonlySet<string> {
  const said = newestFirst.filter(({ type, flags }) => !isDirection(type) && !flags.includes('late'))
  const byType = Map.groupBy(said, ({ subjectId, type }) => `${subjectId} ${type}`)
  return new Set([...byType.values()].flatMap(([latest, earlier]) => (latest && earlier ? [latest.id] : [])))
}
