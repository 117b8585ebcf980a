import 'server-only'
import { happenedDays, type TransactionLookKind } from '#lib/domain/overview/look-kinds.ts'
import { leastStuckMs, movingSteps, type UsualStays } from '#lib/domain/transaction/is-stuck.ts'
import { branches, ofBranch } from '#lib/transactions/branches.ts'
import { readUsualStays } from '#lib/transactions/usual-stays.ts'
import { type ListedLook, listLooks, most, notMuted } from './list-looks.ts'

/** Transactions of one kind, the longest without a move first. */
export async function listTransactionLooks(kind: TransactionLookKind): Promise<ListedLook[]> {
  switch (kind) {
    case 'held':
      return listLooks(kind, atSteps('true'), [['ON_HOLD']])
    case 'stuck':
      return listStuck(await readUsualStays())
    case 'failed':
      return listLooks(kind, atSteps(`${lately} AND NOT 'conflict' = ANY(flags)`), [['FAILED'], happenedDays])
    case 'limit-breached':
      return listLooks(kind, atSteps(`${lately} AND NOT 'conflict' = ANY(flags)`), [
        ['LIMIT_BREACHED'],
        happenedDays,
      ])
    case 'conflict':
      return listLooks(kind, CONFLICTS, [happenedDays])
  }
}

const lately = `last_move_at >= now() - $3 * interval '1 day'`

const listed = `subject_id AS about, last_move_at AS since`
const notMutedHere = notMuted('subject_id', 'last_move_at')

/** Each branch in the order of its index. `$2` are the steps. */
const atSteps = (condition: string) => `
  WITH RECURSIVE ${branches}, branch AS MATERIALIZED (SELECT * FROM found WHERE step = ANY($2::text[]))
  SELECT listed.* FROM branch, LATERAL (
    SELECT ${listed} FROM transaction WHERE ${ofBranch} AND ${condition} AND ${notMutedHere}
    ORDER BY last_move_at LIMIT ${most}
  ) AS listed
  ORDER BY since LIMIT ${most}`

/**
 * Those of which `isStuck` says so, which a test holds this against. Of each branch only as many are looked at as may be read
 * in a moment: the longest without a move, which are stuck before all others.
 */
const listStuck = (usual: UsualStays) =>
  listLooks('stuck', STUCK, [movingSteps, JSON.stringify([...usual.values()]), leastStuckMs])

const mostLookedAt = 20_000

const STUCK = `
  WITH RECURSIVE ${branches}, branch AS MATERIALIZED (SELECT * FROM found WHERE step = ANY($2::text[])),
  usual AS MATERIALIZED (
    SELECT * FROM json_to_recordset($3::json) AS given (direction text, step text, "currencyFiat" text, chain text, ms float8)
  ),
  oldest AS MATERIALIZED (
    SELECT listed.* FROM branch, LATERAL (
      SELECT COALESCE(
        (SELECT min(ms) FROM usual WHERE (usual.direction, usual.step) = (branch.direction, branch.step)), $4
      ) AS least
    ) AS soonest, LATERAL (
      SELECT subject_id, direction, step, currency_fiat, chain, last_move_at FROM transaction
      WHERE ${ofBranch} AND last_move_at < now() - soonest.least * interval '1 ms'
      ORDER BY last_move_at LIMIT ${mostLookedAt}
    ) AS listed
  )
  SELECT ${listed} FROM oldest
  LEFT JOIN usual AS exact ON (exact.direction, exact.step, exact."currencyFiat", exact.chain)
    = (oldest.direction, oldest.step, COALESCE(oldest.currency_fiat, ''), COALESCE(oldest.chain, ''))
  LEFT JOIN usual AS of_currency ON of_currency.chain IS NULL AND (of_currency.direction, of_currency.step, of_currency."currencyFiat")
    = (oldest.direction, oldest.step, COALESCE(oldest.currency_fiat, ''))
  LEFT JOIN usual AS of_step ON of_step."currencyFiat" IS NULL
    AND (of_step.direction, of_step.step) = (oldest.direction, oldest.step)
  WHERE last_move_at < now() - COALESCE(exact.ms, of_currency.ms, of_step.ms, $4) * interval '1 ms'
    AND ${notMutedHere}
  ORDER BY last_move_at LIMIT ${most}`

const CONFLICTS = `
  SELECT ${listed} FROM transaction
  WHERE 'conflict' = ANY(flags) AND last_move_at >= now() - $2 * interval '1 day' AND ${notMutedHere}
  ORDER BY last_move_at LIMIT ${most}`
