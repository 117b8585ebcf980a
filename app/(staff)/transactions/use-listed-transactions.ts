'use client'

import { keepPreviousData, replaceEqualDeep, useQuery } from '@tanstack/react-query'
import { useEffect, useLayoutEffect, useState } from 'react'
import { fetchJson, postJson } from '#components/ui/browser/fetch-json.ts'
import { entryKey, PerEntry } from '#components/ui/browser/kept-place.ts'
import type { ListPages } from '#components/ui/browser/remember-list.tsx'
import type { Total } from '#lib/platform/paging/paging.ts'
import type { TransactionSort } from '#lib/transactions/rules/transaction-filters.ts'
import type { TransactionPage, TransactionView, WithoutFilter } from '#lib/transactions/transaction-view.ts'
import type { Rendered } from './rendered.ts'
import { type TransactionsSearch, transactionsUrl } from './search.ts'

interface Listed {
  /** The rows are being read, in the order in which they were first shown; null while nothing has come yet. */
  readonly rows: readonly TransactionView[] | null
  /** These have moved on and do not match the filters any more. */
  readonly noLongerMatching: ReadonlySet<string>
  /** This many have come since, and `showNew` puts them on top; `hasMoreNew`: there are even more. */
  readonly newCount: number
  readonly hasMoreNew: boolean
  readonly showNew: () => void
  readonly next: string | null
  readonly total: Total | null
  /**
   * `scannedTo` says how far the page read, and `drops` without which filter something matches: see
   * `TransactionPage`.
   */
  readonly scannedTo: string | null
  readonly withoutFilter: readonly WithoutFilter[]
  readonly loading: boolean
  readonly error: unknown
  readonly retry: () => void
}

/** The page is as it was first shown, at this address. */
interface Shown {
  readonly path: string
  readonly page: TransactionPage
}

const shownOf = new PerEntry<Shown>()

/** The last list goes on beside a row that it opened. */
let lastShown: Shown | null = null

/** A page of the list keeps its rows in place while it is being read, and each row is up to date. */
export function useListedTransactions(search: TransactionsSearch, rendered: Rendered): Listed {
  const path = transactionsUrl('/api/transactions', { ...search, search: null })
  const [shown, setShown] = useState<Shown | null>(() =>
    rendered.page === null && lastShown?.path === path ? lastShown : null,
  )
  const query = useQuery({
    queryKey: ['transactions', 'listed', path],
    queryFn: ({ signal }) => fetchJson<TransactionPage>(path, signal),
    placeholderData: keepPreviousData,
    ...(rendered.page && transactionsUrl('/api/transactions', { ...rendered.search, search: null }) === path
      ? { initialData: rendered.page, initialDataUpdatedAt: rendered.at }
      : {}),
  })
  const latest = query.data ?? null
  const isThisList = query.isPlaceholderData ? null : latest
  // Nobody reads an empty page, so new rows may be shown at once.
  if (isThisList && (shown?.path !== path || (shown.page.rows.length === 0 && isThisList.rows.length > 0))) {
    setShown({ path, page: isThisList })
  }
  // A reader who comes back sees the rows that they had read, and newer ones wait above them.
  useLayoutEffect(() => {
    const kept = shownOf.get(entryKey())
    if (kept?.path === path) setShown(kept)
  }, [path])
  useLayoutEffect(() => {
    if (shown === null) return
    shownOf.set(entryKey(), shown)
    lastShown = shown
  }, [shown])
  // The page does not show rows of another list, because the reader would take them for those that could not be
  // loaded.
  const reading = query.isError && shown?.path !== path ? latest : (shown?.page ?? latest)
  const sort = search.sort ?? 'started'
  const pushedOff = reading && isThisList ? rowsPushedOff(reading, isThisList, sort) : []
  const { data: renewed } = useQuery({
    queryKey: ['transactions', 'rows', pushedOff],
    queryFn: ({ signal }) =>
      postJson<TransactionView[]>('/api/transactions/rows', { uuids: pushedOff }, signal),
    enabled: pushedOff.length > 0,
    placeholderData: keepPreviousData,
    meta: { renews: true },
  })
  const merged =
    reading &&
    (isThisList
      ? mergeListed(reading, isThisList, sort, renewed)
      : { rows: reading.rows, noLongerMatching: noRows, newCount: 0 })
  return {
    rows: merged?.rows ?? null,
    noLongerMatching: merged?.noLongerMatching ?? noRows,
    newCount: search.cursor || !merged ? 0 : merged.newCount,
    hasMoreNew: merged !== null && isThisList !== null && merged.newCount === isThisList.rows.length,
    showNew: () => isThisList && setShown({ path, page: isThisList }),
    next: reading?.next ?? null,
    total: latest?.total ?? null,
    scannedTo: reading?.scannedTo ?? null,
    withoutFilter: latest?.withoutFilter ?? [],
    loading: query.isPlaceholderData || (query.isFetching && !latest),
    error: query.error,
    retry: () => void query.refetch(),
  }
}

const noRows: ReadonlySet<string> = new Set()

/**
 * Each page follows another one, both by their cursors. This lasts as long as the tab, so that it outlives an
 * opened row.
 */
const newerThan = new Map<string, string | null>()

/**
 * The hook turns the pages of a list whose place is in the address. Going back from a page that a link opened leads
 * to the first one. `next` is the cursor of the page after it: null at the end of the list, and while the page
 * itself is being fetched.
 */
export function usePages(
  search: TransactionsSearch,
  next: string | null,
  onCursor: (cursor: string | null) => void,
) {
  const { cursor } = search
  const newer = cursor === null ? null : (newerThan.get(cursor) ?? null)
  useEffect(() => {
    if (next !== null) newerThan.set(next, cursor)
  }, [next, cursor])
  const addressOf = (to: string | null) => transactionsUrl('/transactions', { ...search, cursor: to })
  const pages: ListPages = {
    newer: cursor === null ? null : addressOf(newer),
    older: next === null ? null : addressOf(next),
  }
  return {
    onNewer: cursor === null ? null : () => onCursor(newer),
    onOlder: next === null ? null : () => onCursor(next),
    pages,
  }
}

interface MergedPage {
  readonly rows: readonly TransactionView[]
  /** These do not match the filters any more. */
  readonly noLongerMatching: ReadonlySet<string>
  /** This many are above the first row in `latest`. */
  readonly newCount: number
}

/** `latest` says nothing of these rows, since newer ones have pushed them off it. */
export function rowsPushedOff(
  reading: TransactionPage,
  latest: TransactionPage,
  sort: TransactionSort,
): readonly string[] {
  const listed = new Set(latest.rows.map(({ uuid }) => uuid))
  const isReached = reachOf(latest, sort)
  return reading.rows.flatMap((row) => (listed.has(row.uuid) || isReached(row) ? [] : row.uuid))
}

/** A row would be in this page if it still matched the filters. */
function reachOf({ rows, next }: TransactionPage, sort: TransactionSort) {
  const place = positionOf[sort]
  const last = rows.at(-1)
  return (row: TransactionView) => next === null || (last !== undefined && place(row) > place(last))
}

/**
 * The rows being read are updated; each stays the same object until it changes. A row that is missing in `latest`
 * has moved on. `renewed` are the rows that were pushed off, as they are now.
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

/** Each order sorts by this value, from the top down. */
const positionOf = {
  started: (row) => Date.parse(row.startedAt),
  moved: (row) => Date.parse(row.lastMoveAt),
  amount: (row) => Number(row.amountFiat ?? Number.NEGATIVE_INFINITY),
} satisfies Record<TransactionSort, (row: TransactionView) => number>
