import 'server-only'
import { pool } from '#lib/db/pool.ts'
import { isUuid } from '#lib/domain/text/uuid.ts'
import type { Caller } from '#lib/request/caller.ts'
import { requirePermission } from '#lib/request/require-permission.ts'
import { type GapRow, SELECT_GAP, toGapViews } from './gap-row.ts'
import type { GapView } from './gap-view.ts'
import { type OpenTransaction, readOpenTransactions } from './read-open-transactions.ts'

export interface GapDetailsView extends GapView {
  /**
   * Transactions that were open during the gap, at most 100: first those without an event since, ordered by last
   * move.
   */
  readonly transactions: readonly OpenTransaction[]
  /** How many of them have neither finished nor (once the gap is over) moved since; exact as `total` is. */
  readonly unheard: number
  /** How many they are; `exact` up to 1,000. */
  readonly total: { readonly count: number; readonly exact: boolean }
}

/** A gap with the transactions that were open in it; null when there is none. Throws `NotAllowed`. */
export async function getGap(caller: Caller, id: string): Promise<GapDetailsView | null> {
  const gap = await findGap(caller, id)
  return gap && withOpenTransactions(caller, gap)
}

/** The same of a gap that was read. Throws `NotAllowed`. */
export async function withOpenTransactions(caller: Caller, gap: GapView): Promise<GapDetailsView> {
  requirePermission(caller, 'see-endpoint-health')
  return { ...gap, ...(await readOpenTransactions(caller.role, gap)) }
}

/** A gap alone; null when there is none. Throws `NotAllowed`. */
export async function findGap(caller: Caller, id: string): Promise<GapView | null> {
  requirePermission(caller, 'see-endpoint-health')
  if (!isUuid(id)) return null
  const { rows } = await pool().query<GapRow>(`${SELECT_GAP} WHERE gap.id = $1`, [id])
  const [gap] = await toGapViews(rows)
  return gap ?? null
}
