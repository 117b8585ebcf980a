import type { EndpointChange } from '#lib/audit/list-audit.ts'
import type { SeenState } from '#lib/endpoints/endpoint-states.ts'

/**
 * The watcher sees a change made here at most this many milliseconds later, and the clocks of two processes differ
 * by less.
 */
const slack = 5_000

type MadeHere = Pick<EndpointChange, 'at' | 'action' | 'outcome'>

/** `surelyForeign`: nobody here asked for this status. */
export interface ForeignChange extends SeenState {
  readonly surelyForeign: boolean
}

/**
 * The result has changes of an endpoint's status that this dashboard saw and did not make; the first check is no
 * change. `changes` come newest first; `earlier` is true when older ones exist.
 */
export const foreignChanges = (
  states: readonly SeenState[],
  changes: readonly MadeHere[],
  earlier: boolean,
): readonly ForeignChange[] =>
  states.flatMap((state) => {
    const { status, after, by } = state
    if (after === null) return []
    const [from, to] = [Date.parse(after) - slack, Date.parse(by) + slack]
    if (status === 'auto_disabled') return [{ ...state, surelyForeign: true }]
    if (changes.some((change) => mayHaveSwitched(change, from, to))) return []
    return [{ ...state, surelyForeign: !earlier || from > oldestOf(changes) }]
  })

const mayHaveSwitched = ({ at, action, outcome }: MadeHere, from: number, to: number) =>
  action === 'endpoint.set-status' &&
  outcome !== 'refused' &&
  outcome !== 'failed' &&
  Date.parse(at) >= from &&
  Date.parse(at) <= to

const oldestOf = (changes: readonly MadeHere[]) => Date.parse(changes.at(-1)?.at ?? '')
