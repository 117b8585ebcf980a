'use client'

import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { postJson } from '#components/fetch-json.ts'
import { isSearchable, readQuery } from '#lib/domain/search/read-query.ts'
import type { LinkedFound } from '#lib/search/search.ts'
import type { Rendered } from './rendered.ts'
import type { SearchText } from './use-search-text.ts'

/** How far the search is. `words` say how the text was understood, at once and without asking the server. */
export interface Search {
  readonly explanation: string
  readonly state: 'nothing-to-look-for' | 'looking' | 'found' | 'failed'
  readonly found: LinkedFound | null
  readonly error: unknown
  readonly retry: () => void
}

/** Looks for what was typed, a moment after the last key. */
export function useFoundSubjects(typed: SearchText, cursor: string | null, rendered: Rendered): Search {
  const reading = readQuery(typed.text)
  const possible = typed.link !== null || isSearchable(reading)
  const wanted = useSettled(typed, 120)
  const query = useQuery({
    queryKey: ['transactions', 'found', wanted, cursor],
    queryFn: ({ signal }) => {
      const asked = wanted.link === null ? { text: wanted.text } : { link: wanted.link }
      return postJson<LinkedFound>('/api/search', { ...asked, cursor: cursor ?? undefined }, signal)
    },
    enabled: wanted.link !== null || isSearchable(readQuery(wanted.text)),
    placeholderData: keepPreviousData,
    ...(rendered.found && rendered.search.search === wanted.link && rendered.search.cursor === cursor
      ? { initialData: rendered.found, initialDataUpdatedAt: rendered.at }
      : {}),
  })
  const settled = wanted === typed && !query.isPlaceholderData
  const state = !possible
    ? 'nothing-to-look-for'
    : query.isError && settled
      ? 'failed'
      : query.data && settled
        ? 'found'
        : 'looking'
  return {
    explanation: (typed.link === null ? undefined : query.data?.explanation) ?? reading.explanation,
    state,
    found: possible ? (query.data ?? null) : null,
    error: query.error,
    retry: () => void query.refetch(),
  }
}

/** The value, once it has stayed the same for so many milliseconds. */
function useSettled<T>(value: T, ms: number): T {
  const [settled, setSettled] = useState(value)
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), ms)
    return () => clearTimeout(timer)
  }, [value, ms])
  return settled
}
