import 'server-only'
import { pool } from '#lib/db/pool.ts'
import { textParameter } from '#lib/db/text-parameter.ts'
import { subjectId } from '#lib/domain/delivery/subject.ts'
import { readDetails } from '#lib/events/read-details.ts'
import type { Caller } from '#lib/request/caller.ts'
import { visibleTo } from '#lib/request/visible-to.ts'
import type { TransactionRow } from '#lib/tables/transaction.ts'
import { toParties } from '#lib/tables/transaction-details.ts'
import type { TransactionDetailsView } from './transaction-details-view.ts'
import { toTransactionViews } from './transaction-view.ts'

/** One transaction with its timeline; null when there is none, or none that the caller may see. Throws `NotAllowed`. */
export async function getTransaction(caller: Caller, uuid: string): Promise<TransactionDetailsView | null> {
  const id = subjectId({ kind: 'transaction', id: textParameter(uuid).trim().toLowerCase() })
  const { rows } = await pool().query<TransactionRow>(
    'SELECT * FROM transaction WHERE subject_id = $1 AND ($2::text IS NULL OR user_uuid = $2)',
    [id, visibleTo(caller)],
  )
  const [found] = rows
  const [view] = await toTransactionViews(rows)
  if (!found || !view) return null
  const { lastReceivedAt, durationSeconds } = found.details
  return {
    ...view,
    parties: toParties(found.details),
    lastReceivedAt: lastReceivedAt ?? view.lastMoveAt,
    durationSeconds: durationSeconds ?? null,
    events: await readDetails(id),
  }
}
