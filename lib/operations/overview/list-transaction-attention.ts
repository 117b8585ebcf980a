import 'server-only'
import type { Step } from '#lib/deliveries/rules/steps.ts'
import { poolByIndex } from '#lib/platform/db/read-pools.ts'
import { directionConditions, unionAll } from '#lib/transactions/index-conditions.ts'
import {
  isStuckSql,
  leastStuckMs,
  movingSteps,
  staysParameter,
  type UsualStays,
} from '#lib/transactions/rules/is-stuck.ts'
import { readUsualStays } from '#lib/transactions/usual-stays.ts'
import { happenedDays, type TransactionAttentionKind } from '../rules/attention-kinds.ts'
import { type ListedAttention, listAttentionItems, most, notSnoozed } from './attention-items.ts'

/** The list has transactions of one kind. Those that have been at their step for longest come first. */
export async function listTransactionAttentionItems(
  kind: TransactionAttentionKind,
): Promise<ListedAttention[]> {
  switch (kind) {
    case 'held':
      return listAttentionItems(atStep('ON_HOLD', kind, always))
    case 'stuck':
      return listStuck(await readUsualStays())
    case 'failed':
      return listAttentionItems(atStep('FAILED', kind, lately), [happenedDays])
    case 'limit-breached':
      return listAttentionItems(atStep('LIMIT_BREACHED', kind, lately), [happenedDays])
    case 'conflict':
      return listAttentionItems(CONFLICTS, [happenedDays])
  }
}

const always = () => 'true'
const lately = (since: string) => `${since} >= now() - $1 * interval '1 day' AND NOT 'conflict' = ANY(flags)`

const notSnoozedHere = (kind: TransactionAttentionKind) => notSnoozed('subject_id', 'last_move_at', kind)

/**
 * The transactions of one direction at one step that have been there for the longest. Two indexes hold them: most by their last
 * move, and the few that were reported again since by the time at which the step began. Each is read up to `limit`.
 */
const longestAt = (condition: string, limit: number, within: (since: string) => string) =>
  [
    ['last_move_at', 'step_began_at IS NULL'],
    ['step_began_at', 'step_began_at IS NOT NULL'],
  ].map(
    ([since = '', began]) => `(
    SELECT subject_id, direction, step, currency_fiat, chain, last_move_at, ${since} AS since FROM transaction
    WHERE ${condition} AND ${began} AND ${within(since)} ORDER BY ${since} LIMIT ${limit})`,
  )

const atStep = (step: Step, kind: TransactionAttentionKind, condition: (since: string) => string) => `
  SELECT subject_id AS about, since FROM (${unionAll(
    directionConditions.flatMap(({ sql }) =>
      longestAt(
        `${sql} AND step = '${step}'`,
        most,
        (since) => `${condition(since)} AND ${notSnoozedHere(kind)}`,
      ),
    ),
  )}) AS listed
  ORDER BY since LIMIT ${most}`

/**
 * The query reads a limited number of each direction and step: those that came first, which are stuck before all others. A
 * test compares it with `isStuck`.
 */
async function listStuck(usual: UsualStays): Promise<ListedAttention[]> {
  const soonest = movingAt.map(({ name, step }) => {
    const known = [...usual.values()].filter((stay) => stay.direction === (name ?? '') && stay.step === step)
    return known.length === 0 ? leastStuckMs : Math.min(...known.map(({ ms }) => ms))
  })
  const { rows } = await poolByIndex().query<ListedAttention>(STUCK, [staysParameter(usual), soonest])
  return rows
}

const mostScanned = 20_000
const mostConflicts = 5_000

const movingAt = directionConditions.flatMap(({ name, sql }) =>
  movingSteps.map((step) => ({ name, step, sql: `${sql} AND step = '${step}'` })),
)

/**
 * `$2` holds for each direction and step the shortest time after which something is stuck there, in ms. Nearly all of the
 * first ones are stuck, so each part ends long before its limit.
 */
const STUCK = `
  SELECT subject_id AS about, since FROM (${unionAll(
    movingAt
      .flatMap(({ sql }, i) =>
        longestAt(
          sql,
          mostScanned,
          (since) =>
            `${since} < now() - ($2::float8[])[${i + 1}] * interval '1 ms' AND ${notSnoozedHere('stuck')}`,
        ),
      )
      .map(
        (longest) =>
          `(SELECT subject_id, since FROM ${longest} AS longest WHERE ${isStuckSql('$1', 'since', 'now()')} ORDER BY since LIMIT ${most})`,
      ),
  )}) AS stuck
  ORDER BY since LIMIT ${most}`

/**
 * A conflict begins with the last outcome that contradicts earlier ones. The same outcome again changes nothing. No
 * contradiction is later than the last move, so the index of that finds them all.
 */
const CONFLICTS = `
  SELECT about, since FROM (
    SELECT subject_id AS about, COALESCE(max(came), max(last_move_at)) AS since FROM (
      SELECT contrary.subject_id, contrary.last_move_at, event.sub_type, min(event.first_received_at) AS came FROM (
        SELECT subject_id, last_move_at FROM transaction
        WHERE 'conflict' = ANY(flags) AND last_move_at >= now() - $1 * interval '1 day'
        ORDER BY last_move_at LIMIT ${mostConflicts}
      ) AS contrary LEFT JOIN event ON event.subject_id = contrary.subject_id AND 'conflict' = ANY(event.flags)
      GROUP BY contrary.subject_id, contrary.last_move_at, event.sub_type
    ) AS outcome GROUP BY subject_id
  ) AS conflict
  WHERE since >= now() - $1 * interval '1 day' AND ${notSnoozed('about', 'since', 'conflict')}
  ORDER BY since LIMIT ${most}`
