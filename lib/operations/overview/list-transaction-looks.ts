import 'server-only'
import { branches, ofBranch } from '#lib/transactions/branches.ts'
import {
  isStuckSql,
  leastStuckMs,
  movingSteps,
  staysParameter,
  type UsualStays,
} from '#lib/transactions/rules/is-stuck.ts'
import { readUsualStays } from '#lib/transactions/usual-stays.ts'
import { happenedDays, type TransactionLookKind } from '../rules/look-kinds.ts'
import { type ListedLook, listLooks, most, notMuted } from './looks.ts'

/** The list has transactions of one kind. Those that have been at their step for longest come first. */
export async function listTransactionLooks(kind: TransactionLookKind): Promise<ListedLook[]> {
  switch (kind) {
    case 'held':
      return listLooks(atSteps(kind, always), [['ON_HOLD']])
    case 'stuck':
      return listStuck(await readUsualStays())
    case 'failed':
      return listLooks(atSteps(kind, lately), [['FAILED'], happenedDays])
    case 'limit-breached':
      return listLooks(atSteps(kind, lately), [['LIMIT_BREACHED'], happenedDays])
    case 'conflict':
      return listLooks(CONFLICTS, [happenedDays])
  }
}

const always = () => 'true'
const lately = (since: string) => `${since} >= now() - $2 * interval '1 day' AND NOT 'conflict' = ANY(flags)`

const notMutedHere = (kind: TransactionLookKind) => notMuted('subject_id', 'last_move_at', kind)

/**
 * The query finds the transactions of one direction and step that came to it first, by two indexes: that of the last
 * move, for most, and that of the few with later events of the same step. Each is read up to `limit`.
 */
const firstOfBranch = (condition: (since: string) => string, limit: number) => {
  const by = (since: string, began: string) => `(
    SELECT subject_id, direction, step, currency_fiat, chain, last_move_at, ${since} AS since FROM transaction
    WHERE ${ofBranch} AND step_began_at IS ${began} AND ${condition(since)} ORDER BY ${since} LIMIT ${limit})`
  return `${by('last_move_at', 'NULL')} UNION ALL ${by('step_began_at', 'NOT NULL')}`
}

/** `$1` has the steps. */
const atSteps = (kind: TransactionLookKind, condition: (since: string) => string) => `
  WITH RECURSIVE ${branches}, branch AS MATERIALIZED (SELECT * FROM found WHERE step = ANY($1::text[]))
  SELECT subject_id AS about, since FROM branch, LATERAL (
    ${firstOfBranch((since) => `${condition(since)} AND ${notMutedHere(kind)}`, most)}
  ) AS listed
  ORDER BY since LIMIT ${most}`

/**
 * The query reads a limited number of each direction and step: those that came first, which are stuck before all others. A
 * test compares it with `isStuck`.
 */
const listStuck = (usual: UsualStays) =>
  listLooks(STUCK, [movingSteps, staysParameter(usual), JSON.stringify([...usual.values()]), leastStuckMs])

const mostLookedAt = 20_000
const mostConflicts = 5_000

const STUCK = `
  WITH RECURSIVE ${branches}, branch AS MATERIALIZED (SELECT * FROM found WHERE step = ANY($1::text[])),
  usual AS MATERIALIZED (
    SELECT * FROM json_to_recordset($3::json) AS given (direction text, step text, ms float8)
  ),
  oldest AS MATERIALIZED (
    SELECT listed.* FROM branch, LATERAL (
      SELECT COALESCE(
        (SELECT min(ms) FROM usual WHERE (usual.direction, usual.step) = (branch.direction, branch.step)), $4
      ) AS least
    ) AS soonest, LATERAL (
      ${firstOfBranch((since) => `${since} < now() - soonest.least * interval '1 ms'`, mostLookedAt)}
    ) AS listed
  )
  SELECT subject_id AS about, since FROM oldest
  WHERE ${isStuckSql('$2', 'since', 'now()')} AND ${notMutedHere('stuck')}
  ORDER BY since LIMIT ${most}`

/**
 * A conflict begins with the last outcome that contradicts earlier ones. The same outcome again changes nothing. No
 * contradiction is later than the last move, so the index of that finds them all.
 */
const CONFLICTS = `
  SELECT about, since FROM (
    SELECT subject_id AS about, COALESCE(came.at, last_move_at) AS since FROM (
      SELECT subject_id, last_move_at FROM transaction
      WHERE 'conflict' = ANY(flags) AND last_move_at >= now() - $1 * interval '1 day'
      ORDER BY last_move_at LIMIT ${mostConflicts}
    ) AS contrary LEFT JOIN LATERAL (
      SELECT min(first_received_at) AS at FROM event
      WHERE event.subject_id = contrary.subject_id AND 'conflict' = ANY(event.flags)
      GROUP BY sub_type ORDER BY at DESC LIMIT 1
    ) AS came ON true
  ) AS conflict
  WHERE since >= now() - $1 * interval '1 day' AND ${notMuted('about', 'since', 'conflict')}
  ORDER BY since LIMIT ${most}`
