import 'server-only'
import { pool } from '#lib/platform/db/pool.ts'
import { branchesHaveIndexes } from '#lib/transactions/branches.ts'

const ready = new WeakSet<object>()

/** Whether the indexes of these lists are made: a start goes on with them beside the traffic. Decision 0021. */
export async function looksHaveIndexes(): Promise<boolean> {
  const database = pool()
  if (ready.has(database)) return true
  const { rowCount } = await database.query(MADE)
  const have = rowCount === 3 && (await branchesHaveIndexes())
  if (have) ready.add(database)
  return have
}

const MADE = `
  SELECT FROM pg_index
  WHERE indexrelid IN (to_regclass('transaction_conflict_idx'), to_regclass('transaction_step_began_at_idx'),
    to_regclass('event_failed_account_idx')) AND indisvalid`
