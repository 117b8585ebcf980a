import 'server-only'
import { pool } from '#lib/db/pool.ts'
import { transactionSorts } from '#lib/domain/transaction/transaction-sort.ts'

let have = false

/** Whether the indexes of branches are made: a start goes on with them beside the traffic. Decision 0021. */
export async function branchesHaveIndexes(): Promise<boolean> {
  if (have) return true
  const { rowCount } = await pool().query(MADE)
  have = rowCount === transactionSorts.length
  return have
}

const MADE = `
  SELECT FROM pg_index JOIN pg_class ON pg_class.oid = indexrelid
  WHERE indrelid = to_regclass('transaction') AND indisvalid AND starts_with(relname, 'transaction_branch_')`
