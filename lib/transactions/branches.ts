import 'server-only'
import { finalSteps } from '#lib/deliveries/rules/steps.ts'
import { pool } from '#lib/platform/db/pool.ts'
import { transactionSorts } from './rules/transaction-filters.ts'

// A list of all users is merged from branches: the transactions of one direction at one step, which an index
// per sort order holds together. Decision 0032.

/** As the indexes have them: a branch may lack either. */
const direction = `COALESCE(direction, '')`
const step = `COALESCE(step, '')`

/** What belongs to a row of `branch`. */
export const ofBranch = `${direction} = branch.direction AND ${step} = branch.step`

/**
 * All existing branches, known and unknown steps, for use after `WITH RECURSIVE`: each is found from the
 * previous one by one index probe.
 */
export const branches = `
  found (direction, step) AS (
    (SELECT ${direction}, ${step} FROM transaction ORDER BY 1, 2 LIMIT 1)
    UNION ALL
    SELECT next.* FROM found, LATERAL (
      SELECT ${direction}, ${step} FROM transaction
      WHERE (${direction}, ${step}) > (found.direction, found.step) ORDER BY 1, 2 LIMIT 1
    ) AS next
  )`

/** Whether the transactions of a branch have finished. */
export const hasFinished = `branch.step IN (${finalSteps.map((name) => `'${name}'`).join(', ')})`

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
