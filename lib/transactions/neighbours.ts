import 'server-only'
import { type Caller, requirePermission } from '#lib/access/caller.ts'
import { planOnce } from '#lib/platform/db/plan-once.ts'
import { pool } from '#lib/platform/db/pool.ts'
import type { TransactionRow } from '#lib/timeline/tables/transaction.ts'
import { directionConditions, unionAll } from './index-conditions.ts'
import { type TransactionView, toTransactionViews } from './transaction-view.ts'

/** The neighbours are the transactions before and after this one in the list of all, newest first; null at its ends. */
export interface Neighbours {
  readonly newer: string | null
  readonly older: string | null
}

/** A page that was not opened from a list uses these neighbours. Throws `NotAllowed`. */
export async function readNeighbours(
  caller: Caller,
  { startedAt, subjectId }: Pick<TransactionView, 'startedAt' | 'subjectId'>,
): Promise<Neighbours> {
  requirePermission(caller, 'see-everything')
  const { rows } = await pool().query<{ side: keyof Neighbours; uuid: string }>({
    ...NEIGHBOURS,
    values: [startedAt, subjectId],
  })
  const on = (side: keyof Neighbours) => rows.find((row) => row.side === side)?.uuid ?? null
  return { newer: on('newer'), older: on('older') }
}

/** The nearest transaction on this side, by the index of the list. */
function nearest(side: keyof Neighbours, beyond: '<' | '>', order: string): string {
  const candidates = directionConditions.map(
    ({ sql }) => `(
    SELECT uuid, started_at, subject_id FROM transaction
    WHERE ${sql} AND (started_at, subject_id) ${beyond} ($1::timestamptz, $2::text) ${order} LIMIT 1)`,
  )
  return `(SELECT '${side}' AS side, uuid FROM (${unionAll(candidates)}) AS candidate ${order} LIMIT 1)`
}

const NEIGHBOURS = planOnce(`
  SELECT side, uuid FROM (
    ${nearest('newer', '>', 'ORDER BY started_at, subject_id')}
    UNION ALL
    ${nearest('older', '<', 'ORDER BY started_at DESC, subject_id DESC')}
  ) AS nearest`)

const most = 6

/** Up to six other transactions of the same user are listed; the nearest in time come first. Throws `NotAllowed`. */
export async function listOthersOfUser(
  caller: Caller,
  { subjectId, userUuid, startedAt }: Pick<TransactionView, 'subjectId' | 'userUuid' | 'startedAt'>,
): Promise<TransactionView[]> {
  requirePermission(caller, 'see-everything')
  if (userUuid === null) return []
  const { rows } = await pool().query<TransactionRow>({
    ...OTHERS,
    values: [userUuid, subjectId, startedAt, most],
  })
  return toTransactionViews(caller.role, rows)
}

const OTHERS = planOnce(`
  SELECT * FROM (
    (SELECT * FROM transaction WHERE user_uuid = $1 AND subject_id <> $2 AND started_at <= $3::timestamptz
     ORDER BY started_at DESC LIMIT $4)
    UNION ALL
    (SELECT * FROM transaction WHERE user_uuid = $1 AND subject_id <> $2 AND started_at > $3::timestamptz
     ORDER BY started_at LIMIT $4)
  ) AS near
  ORDER BY abs(extract(epoch FROM started_at - $3::timestamptz)), subject_id LIMIT $4`)
