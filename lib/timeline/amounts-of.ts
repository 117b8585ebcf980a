import 'server-only'
import type { Role } from '#lib/access/rules/roles.ts'
import { showRecord } from '#lib/access/rules/show-record.ts'
import { pool } from '#lib/platform/db/pool.ts'
import { columnsOf, only, type RowOf, toView } from './tables/table.ts'
import { transactionTable } from './tables/transaction.ts'

const amounts = only(
  transactionTable,
  'subjectId',
  'amountFiat',
  'currencyFiat',
  'amountCrypto',
  'currencyCrypto',
)

/** What tells one transaction from another in a list: its fiat amount, or until that is given its stablecoin amount. */
export interface AmountView {
  readonly value: string | null
  readonly currency: string | null
}

/** The amount of each of these subjects that has one, as the role may know it. */
export async function amountsOf(
  role: Role,
  subjectIds: readonly string[],
): Promise<ReadonlyMap<string, AmountView>> {
  const asked = new Set(subjectIds.filter((id) => id.startsWith('transaction:')))
  if (asked.size === 0) return new Map()
  const { rows } = await pool().query<RowOf<typeof amounts>>(
    `SELECT ${columnsOf(amounts)} FROM transaction
     WHERE subject_id = ANY($1::text[]) AND COALESCE(amount_fiat, amount_crypto) IS NOT NULL`,
    [[...asked]],
  )
  return new Map(
    rows.map((row) => {
      const shown = showRecord(role, 'transaction', toView(amounts, row))
      const { amountFiat, currencyFiat, amountCrypto, currencyCrypto } = shown
      const amount =
        amountFiat === null
          ? { value: amountCrypto, currency: currencyCrypto }
          : { value: amountFiat, currency: currencyFiat }
      return [row.subject_id, amount]
    }),
  )
}
