import 'server-only'
import { type Direction, directions } from '#lib/deliveries/rules/steps.ts'

// The indexes of lists begin with the direction, or with the direction and the step. A list of several of these
// reads each by its own index condition, and PostgreSQL merges them by UNION ALL. Decision 0143.

/** A transaction has one of these directions, or none yet: the table checks this. */
const everyDirection: readonly (Direction | null)[] = [...directions, null]

/** The expression matches the indexes, which hold an unknown direction as an empty one. */
export const directionIs = (name: Direction | null) => `COALESCE(direction, '') = '${name ?? ''}'`

/** The conditions cover every direction once; the name is null when the direction is not known. */
export const directionConditions = everyDirection.map((name) => ({
  name,
  sql: directionIs(name),
}))

/** The rows of several queries with the same columns. A query with an order or a limit of its own is in parentheses. */
export const unionAll = (queries: readonly string[]): string => queries.join('\nUNION ALL ')
