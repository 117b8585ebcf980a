import 'server-only'
import { pool } from '#lib/platform/db/pool.ts'
import { transactionSorts } from './rules/transaction-sort.ts'

const ready = new WeakSet<object>()

/** Whether the indexes of branches are made: a start goes on with them beside the traffic. Decision 0021. */
export async function branchesHaveIndexes(): Promise<boolean> {
  const database = pool()
  if (ready.has(database)) return true
  const { rowCount } = await database.query(MADE)
  const have = rowCount === transactionSorts.length
  if (have) ready.add(database)
  return have
}

const MADE = `
  SELECT FROM pg_index JOIN pg_class ON pg_class.oid = indexrelid
  WHERE indrelid = to_regclass('transaction') AND indisvalid AND starts_with(relname, 'transaction_branch_')`
