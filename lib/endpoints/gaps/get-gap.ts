import 'server-only'
import { type Caller, requirePermission } from '#lib/access/caller.ts'
import { planOnce } from '#lib/platform/db/plan-once.ts'
import { pool } from '#lib/platform/db/pool.ts'
import { isUuid } from '#lib/platform/rules/ids.ts'
import { type GapRow, SELECT_GAP, toGapViews } from './gap-row.ts'
import type { GapView } from './gap-view.ts'
import { type NamedTransaction, type OpenIn, type OpenTransaction, readOpenTransactions } from './read-open-transactions.ts'

/** A gap with the transactions that were open in it. */
export interface GapDetailsView extends GapView, OpenIn<OpenTransaction> {}

/** The same with no more of each than it takes to ask the provider about it. */
export interface AskableGap extends GapView, OpenIn<NamedTransaction> {}

/** A gap with the transactions that were open in it; null when there is none. Throws `NotAllowed`. */
export async function getGap(caller: Caller, id: string): Promise<GapDetailsView | null> {
  const gap = await findGap(caller, id)
  return gap && { ...gap, ...(await readOpenTransactions(caller.role, gap)) }
}

/** A gap alone; null when there is none. Throws `NotAllowed`. */
export async function findGap(caller: Caller, id: string): Promise<GapView | null> {
  requirePermission(caller, 'see-endpoint-health')
  if (!isUuid(id)) return null
  const { rows } = await pool().query<GapRow>({ ...ONE, values: [id] })
  const [gap] = await toGapViews(rows)
  return gap ?? null
}

const ONE = planOnce(`${SELECT_GAP} WHERE gap.id = $1`)
