import 'server-only'
import { finalSteps } from '#lib/domain/delivery/steps.ts'

// A list is merged of branches: the transactions of one direction at one step, which an index for each order holds
// together. Decision 0032.

/** As the indexes have them: a branch may lack either. */
const direction = `COALESCE(direction, '')`
const step = `COALESCE(step, '')`

/** What belongs to a row of `branch`. */
export const ofBranch = `${direction} = branch.direction AND ${step} = branch.step`

/**
 * All branches that there are, known steps and unknown ones, to follow `WITH RECURSIVE`: each is found from the one
 * before by a probe of an index, however many transactions it has.
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
