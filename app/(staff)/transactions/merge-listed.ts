import type { TransactionSort } from '#lib/domain/transaction-sort.ts'
import type { TransactionPage, TransactionView } from '#lib/transactions/transaction-view.ts'

export interface MergedPage {
  readonly rows: readonly TransactionView[]
  /** Those that match the filters no more. */
  readonly gone: ReadonlySet<string>
  /** How many stand above the first row in `latest`. */
  readonly fresh: number
}

/** The rows being read with their latest content; those that ought to be in `latest` and are not have moved on. */
export function mergeListed(
  reading: TransactionPage,
  latest: TransactionPage,
  sort: TransactionSort,
): MergedPage {
  const place = placeIn[sort]
  const news = new Map(latest.rows.map((row) => [row.uuid, row]))
  const last = latest.rows.at(-1)
  const gone = new Set<string>()
  const rows = reading.rows.map((row) => {
    const renewed = news.get(row.uuid)
    const reached = latest.next === null || (last !== undefined && place(row) > place(last))
    if (!renewed && reached) gone.add(row.uuid)
    news.delete(row.uuid)
    return renewed ?? row
  })
  const first = reading.rows[0]
  const fresh = [...news.values()].filter((row) => first !== undefined && place(row) >= place(first))
  return { rows, gone, fresh: fresh.length }
}

/** What each order goes by, from the top down. */
const placeIn = {
  started: (row) => Date.parse(row.startedAt),
  moved: (row) => Date.parse(row.lastMoveAt),
  amount: (row) => Number(row.amountFiat ?? Number.NEGATIVE_INFINITY),
} satisfies Record<TransactionSort, (row: TransactionView) => number>
