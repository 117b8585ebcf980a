import 'server-only'
import { finalSteps } from '#lib/deliveries/rules/steps.ts'

// A list of all users is merged from branches. A branch is the transactions of one direction at one step, which
// the index of each sort order keeps together. Decision 0032.

/** The expression matches the indexes; a branch may lack a direction or a step. */
const direction = `COALESCE(direction, '')`
const step = `COALESCE(step, '')`

/** The condition selects the transactions of a row of `branch`. */
export const ofBranch = `${direction} = branch.direction AND ${step} = branch.step`

/**
 * The query finds all existing branches, with known and unknown steps. It finds each from the previous one by
 * one index probe; use it after `WITH RECURSIVE`.
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

/** The transactions of such a branch have finished. */
export const hasFinished = `branch.step IN (${finalSteps.map((name) => `'${name}'`).join(', ')})`
