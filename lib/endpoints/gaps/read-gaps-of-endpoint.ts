import 'server-only'
import { type Caller, requirePermission } from '#lib/access/caller.ts'
import { toGapViews, toLoneGap } from './gap-row.ts'
import type { GapView } from './gap-view.ts'
import type { AskableGap } from './get-gap.ts'
import { listGapRows } from './list-gaps.ts'
import { nameOpenTransactions } from './read-open-transactions.ts'

/** Gaps that its page lists. */
const shown = 10

/** What may be missing because of an endpoint: its gaps and those of all that deliver here. */
export interface GapsOfEndpoint {
  /** The latest first, at most 10. */
  readonly gaps: readonly GapView[]
  /** The one that lasts, with its open transactions; a closed one only where the endpoint is off and no other lasts. */
  readonly lasting: AskableGap | null
}

/** What other endpoints brought and what was open are read at the same time. Throws `NotAllowed`. */
export async function readGapsOfEndpoint(caller: Caller, endpointUuid: string): Promise<GapsOfEndpoint> {
  requirePermission(caller, 'see-endpoint-health')
  const { listed } = await listGapRows({ endpointUuid, limit: shown })
  const lasting = findLasting(listed.map(toLoneGap))
  const [gaps, open] = await Promise.all([
    toGapViews(listed),
    lasting ? nameOpenTransactions(caller.role, lasting) : null,
  ])
  const gap = gaps.find(({ id }) => id === lasting?.id)
  return { gaps, lasting: gap && open ? { ...gap, ...open } : null }
}

function findLasting(gaps: readonly ReturnType<typeof toLoneGap>[]) {
  const itsOwn = gaps.filter(({ endpoint, endedAt }) => endpoint && !endedAt)
  return (
    itsOwn.find(({ closed }) => !closed) ??
    itsOwn.find(({ kind }) => kind === 'disabled' || kind === 'auto-disabled')
  )
}
