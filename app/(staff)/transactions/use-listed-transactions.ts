'use client'

import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { fetchJson } from '#components/fetch-json.ts'
import type { Total, TransactionPage, TransactionView } from '#lib/transactions/transaction-view.ts'
import { mergeListed } from './merge-listed.ts'
import type { Rendered } from './rendered.ts'
import { type TransactionsSearch, transactionsApi } from './search.ts'

export interface Listed {
  /** What is being read, in the order it was first shown in; null while nothing has come yet. */
  readonly rows: readonly TransactionView[] | null
  /** Of these, the ones that have moved on and match the filters no more. */
  readonly gone: ReadonlySet<string>
  /** How many have come since, which `showFresh` puts on top; `freshMore` when there are even more. */
  readonly fresh: number
  readonly freshMore: boolean
  readonly showFresh: () => void
  readonly next: string | null
  readonly total: Total | null
  readonly loading: boolean
  readonly error: unknown
  readonly retry: () => void
}

/** A page of the list that stays where it is while it is being read, and whose rows are as new as can be. */
export function useListedTransactions(search: TransactionsSearch, rendered: Rendered): Listed {
  const path = transactionsApi('/api/transactions', { ...search, q: null })
  const [shown, setShown] = useState<{ path: string; page: TransactionPage } | null>(null)
  const query = useQuery({
    queryKey: ['transactions', 'listed', path],
    queryFn: ({ signal }) => fetchJson<TransactionPage>(path, signal),
    placeholderData: keepPreviousData,
    ...(rendered.page && transactionsApi('/api/transactions', { ...rendered.search, q: null }) === path
      ? { initialData: rendered.page, initialDataUpdatedAt: rendered.at }
      : {}),
  })
  const latest = query.data ?? null
  const mine = query.isPlaceholderData ? null : latest
  // Of a page that was empty nothing is being read, so whatever comes may show at once.
  if (mine && (shown?.path !== path || (shown.page.rows.length === 0 && mine.rows.length > 0))) {
    setShown({ path, page: mine })
  }
  const reading = shown?.page ?? latest
  const merged =
    reading &&
    (mine
      ? mergeListed(reading, mine, search.sort ?? 'started')
      : { rows: reading.rows, gone: noRows, fresh: 0 })
  return {
    rows: merged?.rows ?? null,
    gone: merged?.gone ?? noRows,
    fresh: search.cursor || !merged ? 0 : merged.fresh,
    freshMore: merged !== null && mine !== null && merged.fresh === mine.rows.length,
    showFresh: () => mine && setShown({ path, page: mine }),
    next: reading?.next ?? null,
    total: latest?.total ?? null,
    loading: query.isPlaceholderData || (query.isFetching && !latest),
    error: query.error,
    retry: () => void query.refetch(),
  }
}

const noRows: ReadonlySet<string> = new Set()
