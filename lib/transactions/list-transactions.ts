import 'server-only'
import type { Caller } from '#lib/auth/caller.ts'
import { pool } from '#lib/db/pool.ts'
import { textParameter } from '#lib/db/text-parameter.ts'
import { visibleTo } from '#lib/events/visible-to.ts'
import { countMatching } from './count-matching.ts'
import { parseCursor, toCursor } from './cursor.ts'
import { sorts } from './sorts.ts'
import { type TransactionRecord, toTransactionRows } from './transaction-record.ts'
import type { TransactionFilters, TransactionPage } from './transaction-row.ts'

/** Transactions that the caller may see, in the order asked for. Throws `NotAllowed` and `CursorRefused`. */
export async function listTransactions(
  caller: Caller,
  filters: TransactionFilters = {},
): Promise<TransactionPage> {
  const owner = visibleTo(caller)
  const { page, matching } = transactionQueries(filters, owner)
  const [{ rows }, total] = await Promise.all([
    pool().query<TransactionRecord>(page.sql, page.values),
    countMatching(matching),
  ])
  const listed = rows.slice(0, page.limit)
  const last = listed.at(-1)
  return {
    rows: await toTransactionRows(listed),
    next: rows.length > page.limit && last ? toCursor(page.sort, last) : null,
    total,
  }
}

/** A page, one row more to tell whether another follows, and all that match. */
function transactionQueries(filters: TransactionFilters, owner: string | null) {
  const limit = Math.min(Math.max(Math.trunc(filters.limit ?? 50), 1), 200)
  const { sort = 'started', cursor } = filters
  const { by, type } = sorts[sort]
  const { conditions, values } = conditionsOf(filters, owner)
  const after = cursor === undefined ? null : parseCursor(sort, cursor)
  const beyond = `(${by}, subject_id) < ($${values.length + 1}::${type}, $${values.length + 2})`
  const ordered = inOrderOf(by)
  return {
    page: {
      sort,
      limit,
      sql: `SELECT * FROM transaction WHERE ${and(after ? [...conditions, beyond] : conditions)}
            ${ordered} LIMIT ${limit + 1}`,
      values: after ? [...values, after.value, after.subjectId] : values,
    },
    matching: {
      sql: `SELECT FROM transaction WHERE ${and(conditions)}`,
      // One user's have an index in this order alone, and how many there are is the same in any.
      ordered: owner !== null || filters.userUuid !== undefined ? inOrderOf(sorts.started.by) : ordered,
      values,
    },
  }
}

const inOrderOf = (by: string) => `ORDER BY ${by} DESC, subject_id DESC`

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
