'use client'

import { keepPreviousData, useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { postJson } from '#components/ui/browser/fetch-json.ts'
import type { LinkedFound } from '#lib/search/search.ts'
import type { Rendered } from './rendered.ts'
import { givenFilters, type TransactionsSearch, transactionsUrl } from './search.ts'
import { useCalmAnswers } from './use-calm-answers.ts'
import type { SearchText } from './use-search-text.ts'
import { pauseUntilRead, useUnderstanding } from './use-understanding.ts'

/** How far the search is. `words` say how the text was understood, at once and without asking the server. */
export interface Search {
  readonly explanation: string
  readonly state: 'nothing-to-look-for' | 'looking' | 'found' | 'failed'
  readonly found: LinkedFound | null
  readonly error: unknown
  readonly retry: () => void
}

/**
 * Looks for what was typed, a moment after the last key, among what the filters let through.
 * @param readable false while a filter is not understood: then nothing is looked for
 */
export function useFoundSubjects(
  typed: SearchText,
  search: TransactionsSearch,
  rendered: Rendered,
  readable: boolean,
): Search {
  const { cursor } = search
  const understand = useUnderstanding(typed.text !== '' && typed.link === null)
  const understood = understand?.(typed.text) ?? null
  const possible = typed.link !== null || (understood?.searchable ?? false)
  // What a link stands for is not being typed.
  const pause = typed.link === null ? (understood?.pause ?? pauseUntilRead) : 0
  const wanted = useSettled(typed, pause)
  const rest = { ...givenFilters(search), ...(cursor === null ? {} : { cursor }) }
  const isRendered = addressOf(rendered.search) === addressOf({ ...search, search: wanted.link })
  const queries = useQueryClient()
  const calmly = useCalmAnswers(() => void queries.invalidateQueries({ queryKey: ['transactions', 'found'] }))
  const query = useQuery({
    queryKey: ['transactions', 'found', wanted, rest],
    queryFn: ({ signal }) => {
      const asked = { ...(wanted.link === null ? { text: wanted.text } : { link: wanted.link }), ...rest }
      return calmly(JSON.stringify(asked), () => postJson<LinkedFound>('/api/search', asked, signal))
    },
    enabled: readable && (wanted.link !== null || understand?.(wanted.text).searchable === true),
    placeholderData: keepPreviousData,
    ...(rendered.found && isRendered
      ? { initialData: rendered.found, initialDataUpdatedAt: rendered.at }
      : {}),
  })
  const settled = wanted === typed && !query.isPlaceholderData
  const state = !possible
    ? understood || typed.text === ''
      ? 'nothing-to-look-for'
      : 'looking'
    : query.isError && settled
      ? 'failed'
      : query.data && settled
        ? 'found'
        : 'looking'
  return {
    explanation: (typed.link === null && understood?.explanation) || (query.data?.explanation ?? ''),
    state,
    found: possible ? (query.data ?? null) : null,
    error: query.error,
    retry: () => void query.refetch(),
  }
}

/** What is found does not depend on the order of the list. */
const addressOf = (search: TransactionsSearch) => transactionsUrl('', { ...search, sort: null })

/** The value, once it has stayed the same for so many milliseconds. */
function useSettled<T>(value: T, ms: number): T {
  const [settled, setSettled] = useState(value)
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), ms)
    return () => clearTimeout(timer)
  }, [value, ms])
  return settled
}
