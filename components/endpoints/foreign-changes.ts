import type { EndpointChange } from '#lib/audit/list-endpoint-history.ts'
import type { SeenState } from '#lib/endpoints/list-states.ts'

/** In ms: a change made here is seen no later, and the clocks of two processes differ by no more. */
const slack = 5_000

/** What this dashboard saw of an endpoint's state and did not do itself; the first look is no change. */
export const foreignChanges = (
  states: readonly SeenState[],
  changes: readonly Pick<EndpointChange, 'at' | 'action' | 'outcome'>[],
): readonly SeenState[] =>
  states.filter(
    ({ status, after, by }) =>
      after !== null &&
      (status === 'auto_disabled' ||
        !changes.some(
          ({ at, action, outcome }) =>
            action === 'endpoint.set-status' &&
            outcome !== 'refused' &&
            outcome !== 'failed' &&
            Date.parse(at) >= Date.parse(after) - slack &&
            Date.parse(at) <= Date.parse(by) + slack,
        )),
  )
