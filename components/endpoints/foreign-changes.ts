import type { EndpointChange } from '#lib/audit/histories.ts'
import type { SeenState } from '#lib/endpoints/endpoint-states.ts'

/** In ms: a change made here is seen no later, and the clocks of two processes differ by no more. */
const slack = 5_000

type MadeHere = Pick<EndpointChange, 'at' | 'action' | 'outcome'>

/** A state that was seen, and whether it is known that nobody here asked for it. */
export interface ForeignChange extends SeenState {
  readonly surelyForeign: boolean
}

/**
 * What this dashboard saw of an endpoint's state and did not do itself; the first look is no change.
 * @param changes the latest first
 * @param earlier whether there are changes before those
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
