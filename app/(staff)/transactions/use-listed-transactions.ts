'use client'

import { keepPreviousData, replaceEqualDeep, useQuery } from '@tanstack/react-query'
import { useEffect, useLayoutEffect, useState } from 'react'
import { fetchJson, postJson } from '#components/ui/browser/fetch-json.ts'
import { entryKey, PerEntry } from '#components/ui/browser/kept-place.ts'
import type { ListPages } from '#components/ui/browser/remember-list.tsx'
import type { Total } from '#lib/platform/paging/paging.ts'
import type { TransactionSort } from '#lib/transactions/rules/transaction-filters.ts'
import type { Drop, TransactionPage, TransactionView } from '#lib/transactions/transaction-view.ts'
import type { Rendered } from './rendered.ts'
import { type TransactionsSearch, transactionsUrl } from './search.ts'

interface Listed {
  /** What is being read, in the order it was first shown in; null while nothing has come yet. */
  readonly rows: readonly TransactionView[] | null
  /** Of these, the ones that have moved on and match the filters no more. */
  readonly noLongerMatching: ReadonlySet<string>
  /** How many have come since, which `showNew` puts on top; `hasMoreNew` when there are even more. */
  readonly newCount: number
  readonly hasMoreNew: boolean
  readonly showNew: () => void
  readonly next: string | null
  readonly total: Total | null
  /** How far the page looked, and without which filter something matches: see `TransactionPage`. */
  readonly lookedTo: string | null
  readonly drops: readonly Drop[]
  readonly loading: boolean
  readonly error: unknown
  readonly retry: () => void
}

/** A page as it was first shown, and which one. */
interface Shown {
  readonly path: string
  readonly page: TransactionPage
}

const shownOf = new PerEntry<Shown>()

/** What was read last, which goes on beside a row that it opened. */
let lastShown: Shown | null = null

/** A page of the list that stays where it is while it is being read, and whose rows are as new as can be. */
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
  // Of a page that was empty nothing is being read, so whatever comes may show at once.
  if (isThisList && (shown?.path !== path || (shown.page.rows.length === 0 && isThisList.rows.length > 0))) {
    setShown({ path, page: isThisList })
  }
  // Whoever comes back reads on in what they had read, and what came meanwhile waits above it.
  useLayoutEffect(() => {
    const kept = shownOf.get(entryKey())
    if (kept?.path === path) setShown(kept)
  }, [path])
  useLayoutEffect(() => {
    if (shown === null) return
    shownOf.set(entryKey(), shown)
    lastShown = shown
  }, [shown])
  // Rows of another list would be believed to be those that could not be loaded.
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
    lookedTo: reading?.lookedTo ?? null,
    drops: latest?.drops ?? [],
    loading: query.isPlaceholderData || (query.isFetching && !latest),
    error: query.error,
    retry: () => void query.refetch(),
  }
}

const noRows: ReadonlySet<string> = new Set()

/** After which page another one came, both by their cursors; kept while this tab lives, so that it outlasts an opened row. */
const newerThan = new Map<string, string | null>()

/**
 * Turns the pages of a list whose place is in the address; back from a page that a link opened is the first one. `next` is
 * the cursor of the page after it: null at the end of the list, and while the page itself is being fetched.
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
