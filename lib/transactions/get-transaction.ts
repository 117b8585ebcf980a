import 'server-only'
import type { Caller } from '#lib/auth/caller.ts'
import { pool } from '#lib/db/pool.ts'
import { textParameter } from '#lib/db/text-parameter.ts'
import { subjectId } from '#lib/domain/subject.ts'
import { readDetails } from '#lib/events/read-details.ts'
import { visibleTo } from '#lib/events/visible-to.ts'
import type { TransactionDetails } from './transaction-details.ts'
import { type TransactionRecord, toTransactionRows } from './transaction-record.ts'

/** One transaction with its timeline; null when there is none, or none that the caller may see. Throws `NotAllowed`. */
export async function getTransaction(caller: Caller, uuid: string): Promise<TransactionDetails | null> {
  const id = subjectId({ kind: 'transaction', id: textParameter(uuid).trim().toLowerCase() })
  const { rows } = await pool().query<TransactionRecord>(
    'SELECT * FROM transaction WHERE subject_id = $1 AND ($2::text IS NULL OR user_uuid = $2)',
    [id, visibleTo(caller)],
  )
  const [record] = rows
  const [row] = await toTransactionRows(rows)
  if (!record || !row) return null
  const { lastReceivedAt, durationSeconds, ...parties } = record.details
  return { ...row, parties, lastReceivedAt, durationSeconds, events: await readDetails(id) }
}
