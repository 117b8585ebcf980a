'use client'

import { keepPreviousData, useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { postJson } from '#components/browser/fetch-json.ts'
import { readLines } from '#lib/domain/search/read-lines.ts'
import { isSearchable, readQuery } from '#lib/domain/search/read-query.ts'
import type { LinkedFound } from '#lib/search/search.ts'
import type { Rendered } from './rendered.ts'
import { givenFilters, type TransactionsSearch, transactionsApiUrl } from './search.ts'
import { useCalmAnswers } from './use-calm-answers.ts'
import type { SearchText } from './use-search-text.ts'

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
  const possible = typed.link !== null || mayFind(typed.text)
  const wanted = useSettled(typed, 120)
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
    enabled: readable && (wanted.link !== null || mayFind(wanted.text)),
    placeholderData: keepPreviousData,
    ...(rendered.found && isRendered
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
    explanation: (typed.link === null ? undefined : query.data?.explanation) ?? explain(typed.text),
    state,
    found: possible ? (query.data ?? null) : null,
    error: query.error,
    retry: () => void query.refetch(),
  }
}

/** What is found does not depend on the order of the list. */
const addressOf = (search: TransactionsSearch) => transactionsApiUrl('', { ...search, sort: null })

const mayFind = (text: string) => readLines(text) !== null || isSearchable(readQuery(text))

function explain(text: string): string {
  const pasted = readLines(text)
  if (!pasted) return readQuery(text).explanation
  const { lines, left } = pasted
  return left === 0 ? `${lines.length} lines` : `The first ${lines.length} of ${lines.length + left} lines`
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
