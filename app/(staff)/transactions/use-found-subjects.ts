'use client'

import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { fetchJson } from '#components/fetch-json.ts'
import { readQuery } from '#lib/domain/search/read-query.ts'
import type { Found } from '#lib/search/found.ts'
import type { Rendered } from './rendered.ts'
import { type TransactionsSearch, transactionsApiUrl } from './search.ts'

/** How far the search is. `words` say how the text was understood, at once and without asking the server. */
export interface Search {
  readonly explanation: string
  readonly state: 'nothing-to-look-for' | 'looking' | 'found' | 'failed'
  readonly found: Found | null
  readonly error: unknown
  readonly retry: () => void
}

/** Looks for what was typed, a moment after the last key. */
export function useFoundSubjects({ q, cursor }: TransactionsSearch, rendered: Rendered): Search {
  const reading = readQuery(q)
  const possible = q.trim() !== '' && (reading.probes.length > 0 || reading.email !== undefined)
  const wanted = useSettled(q, 120)
  const query = useQuery({
    queryKey: ['transactions', 'found', wanted, cursor],
    queryFn: ({ signal }) =>
      fetchJson<Found>(transactionsApiUrl('/api/search', { q: wanted, cursor }), signal),
    enabled: possible && wanted.trim() !== '',
    placeholderData: keepPreviousData,
    ...(rendered.found && rendered.search.q === wanted && rendered.search.cursor === cursor
      ? { initialData: rendered.found, initialDataUpdatedAt: rendered.at }
      : {}),
  })
  const settled = wanted === q && !query.isPlaceholderData
  const state = !possible
    ? 'nothing-to-look-for'
    : query.isError && settled
      ? 'failed'
      : query.data && settled
        ? 'found'
        : 'looking'
  return {
    explanation: reading.explanation,
    state,
    found: possible ? (query.data ?? null) : null,
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
