import { isDirection } from '#lib/deliveries/rules/steps.ts'
import type { EventFlag } from './subject-event.ts'

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
