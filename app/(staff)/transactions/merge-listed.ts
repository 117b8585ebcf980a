import { replaceEqualDeep } from '@tanstack/react-query'
import type { TransactionSort } from '#lib/transactions/rules/transaction-sort.ts'
import type { TransactionPage, TransactionView } from '#lib/transactions/transaction-view.ts'

export interface MergedPage {
  readonly rows: readonly TransactionView[]
  /** Those that match the filters no more. */
  readonly noLongerMatching: ReadonlySet<string>
  /** How many stand above the first row in `latest`. */
  readonly newCount: number
}

/** The rows being read of which `latest` says nothing, since newer ones have pushed them off it. */
export function rowsPushedOff(
  reading: TransactionPage,
  latest: TransactionPage,
  sort: TransactionSort,
): readonly string[] {
  const listed = new Set(latest.rows.map(({ uuid }) => uuid))
  const isReached = reachOf(latest, sort)
  return reading.rows.flatMap((row) => (listed.has(row.uuid) || isReached(row) ? [] : row.uuid))
}

/** Whether a row would stand in this page if it matched the filters still. */
function reachOf({ rows, next }: TransactionPage, sort: TransactionSort) {
  const place = positionOf[sort]
  const last = rows.at(-1)
  return (row: TransactionView) => next === null || (last !== undefined && place(row) > place(last))
}

/**
 * Updates the rows being read, each of which stays the same object until it changes; rows that should be in `latest` but are not
 * have moved on. `renewed` are those that were pushed off, as they are now.
 */
export function mergeListed(
  reading: TransactionPage,
  latest: TransactionPage,
  sort: TransactionSort,
  renewed: readonly TransactionView[] = [],
): MergedPage {
  const place = positionOf[sort]
  const isReached = reachOf(latest, sort)
  const newRows = new Map(latest.rows.map((row) => [row.uuid, row]))
  const now = new Map([...renewed, ...latest.rows].map((row) => [row.uuid, row]))
  const noLongerMatching = new Set<string>()
  const rows = reading.rows.map((row) => {
    if (!newRows.delete(row.uuid) && isReached(row)) noLongerMatching.add(row.uuid)
    const present = now.get(row.uuid)
    return present ? replaceEqualDeep(row, present) : row
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
