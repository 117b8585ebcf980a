import 'server-only'
import type { Role } from '#lib/access/rules/roles.ts'
import { visibilityOf } from '#lib/access/rules/visibility.ts'
import { statusUpdate } from '#lib/deliveries/rules/event-states.ts'
import { eventTypes } from '#lib/deliveries/rules/event-types.ts'
import { openChecks, passedChecks } from '#lib/deliveries/rules/passed-checks.ts'
import {
  isAttention,
  isLastNeedingAttention,
  type StandingAttentionKind,
  typesOfKinds,
} from '#lib/people/standings/standing-attention.ts'
import { firstUuidv7 } from '#lib/platform/db/partitions.ts'
import { planOnce } from '#lib/platform/db/plan-once.ts'
import { pool } from '#lib/platform/db/pool.ts'
import { type Total, upTo } from '#lib/platform/paging/paging.ts'
import { unionAll } from '#lib/transactions/index-conditions.ts'
import { type EventAttentionKind, happenedDays } from '../rules/attention-kinds.ts'
import { type ListedAttention, listAttentionItems, most, notSnoozed } from './attention-items.ts'

/** The list has events of one kind in the last `happenedDays` days, from the oldest on. */
export function listEventAttentionItems(kind: EventAttentionKind): Promise<ListedAttention[]> {
  const from = firstUuidv7(Date.now() - happenedDays * 86_400_000)
  switch (kind) {
    case 'name-mismatch':
      return listAttentionItems(ofType(kind, 'senderNameMismatch'), [from])
    case 'duplicate-user':
      return listAttentionItems(ofType(kind, 'duplicateUser'), [from])
    case 'bounced-code':
      return listAttentionItems(ofType(kind, 'otpNotification', `AND sub_type = 'EMAIL_DELIVERY_FAILED'`), [
        from,
      ])
    case 'aml':
      return listAttentionItems(ofType(kind, 'AML', `AND ${stateSaid} <> ALL($2) AND ${isLatestOfItsType}`), [
        from,
        [...passedChecks, ...openChecks],
      ])
    case 'failed-kyc':
      return listStandingAttentionItems(kind)
    case 'failed-account':
      return listAttentionItems(FAILED_ACCOUNTS, [from])
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
      typesOfKinds([kind]).map(
        (type) => `(
       SELECT event_id::text AS about, last_move_at AS since FROM standing
       WHERE type = '${type}' AND ${isAttention(type, [kind])} AND ${which}
       ORDER BY last_move_at LIMIT ${most})`,
      ),
    )}) AS stood
     ORDER BY since LIMIT ${most}`,
  )

/** The condition repeats that of the index `event_failed_account_idx`. */
const FAILED_ACCOUNTS = `
  SELECT ${listed} FROM event
  WHERE type IN ('unblockBankAccount', 'linkedBankAccountProfile', 'linkBankAccount')
    AND status IN ('FAILED', 'FAILED_CREATION') AND id >= $1 AND ${isLatestOfItsType} AND ${notSnoozedHere('failed-account')}
  ORDER BY id LIMIT ${most}`

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
