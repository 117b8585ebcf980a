import { replaceEqualDeep } from '@tanstack/react-query'
import type { TransactionSort } from '#lib/domain/transaction/transaction-sort.ts'
import type { TransactionPage, TransactionView } from '#lib/transactions/transaction-view.ts'

export interface MergedPage {
  readonly rows: readonly TransactionView[]
  /** Those that match the filters no more. */
  readonly noLongerMatching: ReadonlySet<string>
  /** How many stand above the first row in `latest`. */
  readonly newCount: number
}

/** Updates the rows being read, each of which stays the same object until it changes; rows that should be in `latest` but are not have moved on. */
export function mergeListed(
  reading: TransactionPage,
  latest: TransactionPage,
  sort: TransactionSort,
): MergedPage {
  const place = positionOf[sort]
  const newRows = new Map(latest.rows.map((row) => [row.uuid, row]))
  const last = latest.rows.at(-1)
  const noLongerMatching = new Set<string>()
  const rows = reading.rows.map((row) => {
    const renewed = newRows.get(row.uuid)
    const reached = latest.next === null || (last !== undefined && place(row) > place(last))
    if (!renewed && reached) noLongerMatching.add(row.uuid)
    newRows.delete(row.uuid)
    return renewed ? replaceEqualDeep(row, renewed) : row
  })
  const first = reading.rows[0]
  const fresh = [...newRows.values()].filter((row) => first !== undefined && place(row) >= place(first))
  return { rows, noLongerMatching, newCount: fresh.length }
}

/** What each order goes by, from the top down. */
const positionOf = {
  started: (row) => Date.parse(row.startedAt),
  moved: (row) => Date.parse(row.lastMoveAt),
  amount: (row) => Number(row.amountFiat ?? Number.NEGATIVE_INFINITY),
} satisfies Record<TransactionSort, (row: TransactionView) => number>
