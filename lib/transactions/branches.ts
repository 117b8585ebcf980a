import 'server-only'
import { finalSteps } from '#lib/deliveries/rules/steps.ts'

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
