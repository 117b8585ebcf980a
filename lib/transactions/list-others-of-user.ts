import 'server-only'
import type { Caller } from '#lib/access/caller.ts'
import { requirePermission } from '#lib/access/require-permission.ts'
import { planOnce } from '#lib/platform/db/plan-once.ts'
import { pool } from '#lib/platform/db/pool.ts'
import type { TransactionRow } from '#lib/timeline/tables/transaction.ts'
import { type TransactionView, toTransactionViews } from './transaction-view.ts'

const most = 6

/** Up to six other transactions of the same user, those first that began nearest in time to this one. Throws `NotAllowed`. */
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
