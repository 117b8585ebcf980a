import 'server-only'
import { pool } from '#lib/db/pool.ts'
import { branchesHaveIndexes } from '#lib/transactions/branches-have-indexes.ts'

let have = false

/** Whether the indexes of these lists are made: a start goes on with them beside the traffic. Decision 0021. */
export async function looksHaveIndexes(): Promise<boolean> {
  if (have) return true
  const { rowCount } = await pool().query(MADE)
  have = rowCount === 3 && (await branchesHaveIndexes())
  return have
}

const MADE = `
  SELECT FROM pg_index
  WHERE indexrelid IN (to_regclass('transaction_conflict_idx'), to_regclass('transaction_step_began_at_idx'),
    to_regclass('event_failed_account_idx')) AND indisvalid`
