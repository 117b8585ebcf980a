import 'server-only'
import { type Caller, requirePermission, requireServiceUser } from '#lib/access/caller.ts'
import { customerEventTypes } from '#lib/access/rules/events.ts'
import { subjectId } from '#lib/deliveries/rules/subject.ts'
import { pool } from '#lib/platform/db/pool.ts'
import { pageOf } from '#lib/platform/paging/paging.ts'
import { CursorRefused } from '#lib/platform/refusals.ts'
import { isLowerCaseUuid } from '#lib/platform/rules/ids.ts'
import { readStuckCheck } from '#lib/transactions/usual-stays.ts'
import { OWN_TRANSACTIONS, type OwnTransactionRow, type OwnTransactionView, toOwnTransactionView } from './own-transaction-view.ts'

export interface OwnTransactionPage {
  readonly rows: readonly OwnTransactionView[]
  /** The last transaction of this page, for `after`; null on the last page. */
  readonly next: string | null
}

const pageLength = 20

/**
 * The caller's own transactions, newest first.
 * @param after the last transaction of the page before
 */
export async function listOwnTransactions(
  caller: Caller,
  after: string | undefined,
): Promise<OwnTransactionPage> {
  requirePermission(caller, 'see-own')
  if (after !== undefined && !isLowerCaseUuid(after)) throw new CursorRefused()
  const last = after === undefined ? null : subjectId({ kind: 'transaction', id: after })
  const { rows } = await pool().query<OwnTransactionRow>(PAGE, [
    requireServiceUser(caller),
    customerEventTypes,
    last,
    pageLength + 1,
  ])
  const { listed, next } = pageOf(rows, pageLength, ({ uuid }) => uuid)
  const isStuck = await readStuckCheck()
  return { rows: listed.map((row) => toOwnTransactionView(row, isStuck)), next }
}

const PAGE = `${OWN_TRANSACTIONS}
    AND ($3::text IS NULL OR (transaction.started_at, transaction.subject_id) <
      (SELECT started_at, subject_id FROM transaction WHERE subject_id = $3 AND user_uuid = $1))
  ORDER BY transaction.started_at DESC, transaction.subject_id DESC LIMIT $4`
