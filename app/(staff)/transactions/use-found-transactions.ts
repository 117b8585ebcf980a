'use client'

import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { fetchJson } from '#components/fetch-json.ts'
import { readQuery } from '#lib/domain/read-query.ts'
import type { TransactionMatches } from '#lib/transactions/transaction-matches.ts'
import type { Rendered } from './rendered.ts'
import { transactionsApi } from './search.ts'

/** How far the search is. `words` say how the text was understood, at once and without asking the server. */
export interface Found {
  readonly words: string
  readonly state: 'nothing-to-look-for' | 'looking' | 'found' | 'failed'
  readonly matches: TransactionMatches | null
  readonly error: unknown
  readonly retry: () => void
}

/** Looks for what was typed, a moment after the last key. */
export function useFoundTransactions(text: string, rendered: Rendered): Found {
  const reading = readQuery(text)
  const possible = text.trim() !== '' && (reading.probes.length > 0 || reading.person !== undefined)
  const wanted = useSettled(text, 120)
  const query = useQuery({
    queryKey: ['transactions', 'found', wanted],
    queryFn: ({ signal }) =>
      fetchJson<TransactionMatches>(transactionsApi('/api/transactions', { q: wanted }), signal),
    enabled: possible && wanted.trim() !== '',
    placeholderData: keepPreviousData,
    ...(rendered.matches && rendered.search.q === wanted
      ? { initialData: rendered.matches, initialDataUpdatedAt: rendered.at }
      : {}),
  })
  const settled = wanted === text && !query.isPlaceholderData
  const state = !possible
    ? 'nothing-to-look-for'
    : query.isError && settled
      ? 'failed'
      : query.data && settled
        ? 'found'
        : 'looking'
  return {
    words: reading.words,
    state,
    matches: possible ? (query.data ?? null) : null,
    error: query.error,
    retry: () => void query.refetch(),
  }
}

/** The value, once it has stayed the same for so many milliseconds. */
function useSettled(value: string, ms: number): string {
  const [settled, setSettled] = useState(value)
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), ms)
    return () => clearTimeout(timer)
  }, [value, ms])
  return settled
}
