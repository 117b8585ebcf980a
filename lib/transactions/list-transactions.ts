import 'server-only'
import type { Caller } from '#lib/auth/caller.ts'
import { pool } from '#lib/db/pool.ts'
import { textParameter } from '#lib/db/text-parameter.ts'
import { visibleTo } from '#lib/events/visible-to.ts'
import { countTransactions } from './count-transactions.ts'
import { parseCursor, toCursor } from './cursor.ts'
import { type TransactionRecord, toTransactionRows } from './transaction-record.ts'
import type { TransactionFilters, TransactionPage } from './transaction-row.ts'

/**
 * Transactions that the caller may see, newest first by start or last move. A cursor that is none begins at the
 * newest. Throws `NotAllowed`.
 */
export async function listTransactions(
  caller: Caller,
  filters: TransactionFilters = {},
): Promise<TransactionPage> {
  const limit = Math.min(Math.max(Math.trunc(filters.limit ?? 50), 1), 200)
  const time = filters.sort === 'moved' ? 'last_move_at' : 'started_at'
  const matching = conditionsOf(filters, visibleTo(caller))
  const cursor = parseCursor(filters.cursor)
  const values = [...matching.values]
  const where = [...matching.conditions]
  if (cursor) {
    values.push(cursor.at, cursor.subjectId)
    where.push(`(${time}, subject_id) < ($${values.length - 1}::timestamptz, $${values.length})`)
  }
  const [{ rows }, total] = await Promise.all([
    pool().query<TransactionRecord>(
      `SELECT * FROM transaction WHERE ${and(where)}
       ORDER BY ${time} DESC, subject_id DESC LIMIT ${limit + 1}`,
      values,
    ),
    countTransactions(and(matching.conditions), matching.values),
  ])
  const listed = rows.slice(0, limit)
  const last = listed.at(-1)
  return {
    rows: await toTransactionRows(listed),
    next: rows.length > limit && last ? toCursor({ at: last[time], subjectId: last.subject_id }) : null,
    total,
  }
}

function conditionsOf({ direction, step, userUuid }: TransactionFilters, owner: string | null) {
  const asked: readonly (readonly [column: string, value: string | null | undefined])[] = [
    ['user_uuid', owner],
    ['user_uuid', userUuid?.toLowerCase()],
    ['direction', direction],
    ['step', step],
  ]
  const given = asked.flatMap(([column, value]) =>
    typeof value === 'string' ? [{ column, value: textParameter(value) }] : [],
  )
  return {
    conditions: given.map(({ column }, i) => `${column} = $${i + 1}`),
    values: given.map(({ value }): unknown => value),
  }
}

const and = (conditions: readonly string[]) => (conditions.length > 0 ? conditions.join(' AND ') : 'true')
