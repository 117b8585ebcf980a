import 'server-only'
import type { SameReason } from '#lib/domain/fold.ts'

// What can change in a row that keeps its primary key, as text: equal keys mean that nothing has to be written. The
// rest of a row follows from its envelope. Cheap, since a fold compares every row of its subject.

interface EventState {
  readonly fingerprint: string
  readonly position: number
  readonly rank: number | null
  readonly deliveries: number
  readonly lastReceivedAt: number
  readonly placedBefore: number | null
  readonly flags: readonly string[]
}

export const eventKey = (state: EventState): string =>
  `${state.fingerprint} ${state.position} ${state.rank} ${state.deliveries} ${state.lastReceivedAt} ${state.placedBefore} ${state.flags}`

export const deliveryKey = (eventId: string, answer: string, reason: SameReason): string =>
  `${eventId} ${answer} ${Object.entries(reason).sort().join(' ')}`

/** The one row of a transaction, whole: whether made here or read from the database, where names stand in another order. */
export const transactionKey = (row: object): string => JSON.stringify(inOrder(row))

function inOrder(value: unknown): unknown {
  if (value instanceof Date) return value.toISOString()
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value
  return Object.entries(value)
    .sort(byName)
    .map(([name, inner]) => [name, inOrder(inner)])
}

const byName = ([a]: readonly [string, unknown], [b]: readonly [string, unknown]) => (a < b ? -1 : 1)
