import 'server-only'
import { pool } from '#lib/db/pool.ts'
import type { Role } from '#lib/domain/access/roles.ts'
import { showRecord } from '#lib/domain/access/show-record.ts'
import { columnsOf, only, type RowOf, toView, type ViewOf } from '#lib/tables/table.ts'
import { transactionTable } from '#lib/tables/transaction.ts'

const amounts = only(transactionTable, 'subjectId', 'amountFiat', 'currencyFiat')

/** What tells one transaction from another in a list: its fiat amount. */
export type AmountView = Pick<ViewOf<typeof amounts>, 'amountFiat' | 'currencyFiat'>

/** The amount of each of these subjects that has one, as the role may know it. */
export async function amountsOf(
  role: Role,
  subjectIds: readonly string[],
): Promise<ReadonlyMap<string, AmountView>> {
  const asked = new Set(subjectIds.filter((id) => id.startsWith('transaction:')))
  if (asked.size === 0) return new Map()
  const { rows } = await pool().query<RowOf<typeof amounts>>(
    `SELECT ${columnsOf(amounts)} FROM transaction WHERE subject_id = ANY($1::text[]) AND amount_fiat IS NOT NULL`,
    [[...asked]],
  )
  return new Map(rows.map((row) => [row.subject_id, showRecord(role, 'transaction', toView(amounts, row))]))
}
