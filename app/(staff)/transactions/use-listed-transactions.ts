'use client'

import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useLayoutEffect, useState } from 'react'
import { fetchJson, postJson } from '#components/ui/browser/fetch-json.ts'
import { entryKey, PerEntry } from '#components/ui/browser/per-entry.ts'
import type { Total } from '#lib/platform/paging/count-up-to.ts'
import type { Drop, TransactionPage, TransactionView } from '#lib/transactions/transaction-view.ts'
import { mergeListed, rowsPushedOff } from './merge-listed.ts'
import type { Rendered } from './rendered.ts'
import { type TransactionsSearch, transactionsUrl } from './search.ts'

export interface Listed {
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
