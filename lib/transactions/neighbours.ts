import 'server-only'
import { type Caller, requirePermission } from '#lib/access/caller.ts'
import { planOnce } from '#lib/platform/db/plan-once.ts'
import { pool } from '#lib/platform/db/pool.ts'
import type { TransactionRow } from '#lib/timeline/tables/transaction.ts'
import { branches, hasFinished, ofBranch } from './branches.ts'
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
  const { rows } = await pool().query<Neighbours>({ ...NEIGHBOURS, values: [startedAt, subjectId] })
  return rows[0] ?? { newer: null, older: null }
}

/**
 * The nearest transaction of all branches in this direction is found. Transactions leave dead entries in the
 * index of open branches, so these are scanned only up to the nearest finished one. Decision 0032.
 */
function nearest(beyond: '<' | '>', nearer: '<' | '>', order: string): string {
  const read = (within: string) => `LATERAL (
    SELECT uuid, started_at, subject_id FROM transaction
    WHERE ${ofBranch} AND (started_at, subject_id) ${beyond} ($1::timestamptz, $2::text) ${within} ${order} LIMIT 1
  ) AS listed`
  return `(
    WITH finished AS MATERIALIZED (
      SELECT listed.* FROM branch, ${read('')} WHERE ${hasFinished} ${order} LIMIT 1
    ),
    open AS MATERIALIZED (
      SELECT listed.* FROM branch, ${read(`AND started_at ${nearer}= COALESCE(
        (SELECT started_at FROM finished), '${nearer === '>' ? '-' : ''}infinity')`)}
      WHERE NOT (${hasFinished}) ${order} LIMIT 1
    )
    SELECT uuid FROM (TABLE finished UNION ALL TABLE open) AS merged ${order} LIMIT 1
  )`
}

const NEIGHBOURS = planOnce(`
  WITH RECURSIVE ${branches}, branch AS MATERIALIZED (SELECT * FROM found)
  SELECT ${nearest('>', '<', 'ORDER BY started_at, subject_id')} AS newer,
    ${nearest('<', '>', 'ORDER BY started_at DESC, subject_id DESC')} AS older`)

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
