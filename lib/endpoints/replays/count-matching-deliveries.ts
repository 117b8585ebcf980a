import 'server-only'
import { type Caller, requirePermission } from '#lib/access/caller.ts'
import { inTransaction } from '#lib/platform/db/in-transaction.ts'
import { pool } from '#lib/platform/db/pool.ts'
import { filterEntries, type ReplayFilter } from './replay-forms.ts'
import { maxDeliveries } from './replay-store.ts'
import { rowByRow, selectDeliveries } from './select-deliveries.ts'

/** How many deliveries a filter means, and from when to when they were received. Times are ISO 8601. */
export interface MatchingDeliveries {
  readonly count: number
  /** True when there are more than one replay may have; `count` is then that most. */
  readonly tooMany: boolean
  readonly first: string | null
  readonly last: string | null
}

/** Null when the filter says nothing. Throws `NotAllowed`. */
export async function countMatchingDeliveries(
  caller: Caller,
  filter: ReplayFilter,
): Promise<MatchingDeliveries | null> {
  requirePermission(caller, 'replay-deliveries')
  if (filterEntries(filter).length === 0) return null
  const { from, where, values } = selectDeliveries(filter)
  const { rows } = await inTransaction(pool(), async (client) => {
    await client.query(rowByRow)
    return client.query<{ count: number; first: Date | null; last: Date | null }>(
      `SELECT count(*)::int AS count, min(received_at) AS first, max(received_at) AS last
       FROM (SELECT d.received_at FROM ${from} WHERE ${where} LIMIT ${maxDeliveries + 1}) matching`,
      [...values],
    )
  })
  const { count = 0, first = null, last = null } = rows[0] ?? {}
  return {
    count: Math.min(count, maxDeliveries),
    tooMany: count > maxDeliveries,
    first: first?.toISOString() ?? null,
    last: last?.toISOString() ?? null,
  }
}
