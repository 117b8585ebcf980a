import 'server-only'
import type { Role } from '#lib/access/rules/roles.ts'
import { visibilityOf } from '#lib/access/rules/visibility.ts'
import { statusUpdate } from '#lib/deliveries/rules/event-states.ts'
import { eventTypes } from '#lib/deliveries/rules/event-types.ts'
import { openChecks, passedChecks } from '#lib/deliveries/rules/passed-checks.ts'
import type { Step } from '#lib/deliveries/rules/steps.ts'
import {
  conditionsOfKinds,
  isLastNeedingAttention,
  type StandingAttentionKind,
} from '#lib/people/standings/standing-attention.ts'
import { firstUuidv7 } from '#lib/platform/db/partitions.ts'
import { pool } from '#lib/platform/db/pool.ts'
import { poolByIndex } from '#lib/platform/db/read-pools.ts'
import { planOnce } from '#lib/platform/db/statements.ts'
import { type Total, upTo } from '#lib/platform/paging/paging.ts'
import { directionConditions, unionAll } from '#lib/transactions/row-condition.ts'
import {
  isStuckSql,
  leastStuckMs,
  movingSteps,
  staysParameter,
  type UsualStays,
} from '#lib/transactions/rules/is-stuck.ts'
import { readUsualStays } from '#lib/transactions/usual-times.ts'
import {
  type EventAttentionKind,
  happenedDays,
  type TransactionAttentionKind,
} from '../rules/attention-kinds.ts'
import { type ListedAttention, listAttentionItems, most, notSnoozed } from './attention-items.ts'

/** The list has events of one kind in the last `happenedDays` days, from the oldest on. */
export function listEventAttentionItems(kind: EventAttentionKind): Promise<ListedAttention[]> {
  const from = firstUuidv7(Date.now() - happenedDays * 86_400_000)
  switch (kind) {
    case 'name-mismatch':
      return listAttentionItems(ofType(kind, 'senderNameMismatch'), [from])
    case 'duplicate-user':
      return listAttentionItems(ofType(kind, 'duplicateUser'), [from])
    case 'aml':
      return listAttentionItems(ofType(kind, 'AML', `AND ${stateSaid} <> ALL($2) AND ${isLatestOfItsType}`), [
        from,
        [...passedChecks, ...openChecks],
      ])
    case 'failed-kyc':
    case 'failed-account':
    case 'bounced-code':
      return listStandingAttentionItems(kind)
    case 'failed-company':
      return listStandingAttentionItems(kind, isLastNeedingAttention([kind]))
  }
}

const listed = 'id::text AS about, first_received_at AS since'
const notSnoozedHere = (kind: EventAttentionKind) => notSnoozed('id::text', 'first_received_at', kind)

const ofType = (kind: EventAttentionKind, type: string, condition = '') => `
  SELECT ${listed} FROM event WHERE type = '${type}' AND id >= $1 ${condition} AND ${notSnoozedHere(kind)}
  ORDER BY id LIMIT ${most}`

/**
 * The SQL is the `stateOf` of a type with a state. It is null when neither column gives one, and such events are not
 * listed.
 */
const stateSaid = `COALESCE(status, NULLIF(sub_type, '${statusUpdate}'))`

/** A later event of the same subject and type replaces this one. */
const isLatestOfItsType = `NOT EXISTS (
  SELECT FROM event AS later WHERE later.subject_id = event.subject_id AND later.type = event.type
    AND later.position > event.position)`

/**
 * The query reads the statuses of subjects, because there are too many events of people who passed. It reads each type
 * and state in the order of its index, and finds the same ones as the counts in the navigation.
 * @param which SQL condition on rows of `standing`
 */
const listStandingAttentionItems = (kind: StandingAttentionKind, which = 'true') =>
  listAttentionItems(
    `SELECT about, since FROM (${unionAll(
      conditionsOfKinds([kind]).map(
        (condition) => `(
       SELECT event_id::text AS about, last_move_at AS since FROM standing
       WHERE ${condition} AND ${which}
       ORDER BY last_move_at LIMIT ${most})`,
      ),
    )}) AS stood
     ORDER BY since LIMIT ${most}`,
  )

/** An unknown type has no label in this version, or is missing. */
export interface UnknownType {
  /** The type is unchanged; null for bodies without a type, such as unreadable ones. */
  readonly type: string | null
  readonly total: Total
  /** The time is ISO 8601. */
  readonly latestAt: string
}

/** So many types are named, of so many of the newest events with an unknown type. */
const mostTypes = 20
const mostScanned = 20_000

/**
 * The types are those of the last `happenedDays` days, the most frequent first. The list is empty for a role that may
 * not see them.
 */
export async function countUnknownTypes(role: Role): Promise<UnknownType[]> {
  if (visibilityOf(role, 'unknown') === 'hidden') return []
  const from = firstUuidv7(Date.now() - happenedDays * 86_400_000)
  const { rows } = await pool().query<{ type: string | null; count: number; latest_at: Date }>({
    ...COUNT,
    values: [from],
  })
  return rows.map(({ type, count, latest_at }) => ({
    type,
    total: upTo(count),
    latestAt: latest_at.toISOString(),
  }))
}

/** An index holds the events whose type is not known. Its condition has the same words, which a test checks. */
const COUNT = planOnce(`
  SELECT type, count(*)::int AS count, max(first_received_at) AS latest_at FROM (
    SELECT type, first_received_at FROM event
    WHERE (type IS NULL OR type <> ALL ('{${eventTypes.join(',')}}'::text[])) AND id >= $1 ORDER BY id DESC LIMIT ${mostScanned}
  ) AS lately
  GROUP BY type ORDER BY count DESC, type LIMIT ${mostTypes}`)

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

const notSnoozedTransaction = (kind: TransactionAttentionKind) =>
  notSnoozed('subject_id', 'last_move_at', kind)

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
        (since) => `${condition(since)} AND ${notSnoozedTransaction(kind)}`,
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
            `${since} < now() - ($2::float8[])[${i + 1}] * interval '1 ms' AND ${notSnoozedTransaction('stuck')}`,
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
