'use client'

import { keepPreviousData, useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { postJson } from '#components/ui/browser/fetch-json.ts'
import { decodePathPart } from '#components/ui/browser/paths.ts'
import { useSettled } from '#components/ui/browser/use-settled.ts'
import { longestPause } from '#lib/search/rules/limits.ts'
import type { Understood } from '#lib/search/rules/understand.ts'
import type { LinkedFound } from '#lib/search/search.ts'
import { givenFilters, type Rendered, type TransactionsSearch, transactionsUrl } from './search.ts'

/** The search is in this state. `explanation` says at once, without the server, how the text was understood. */
export interface Search {
  readonly explanation: string
  readonly state: 'nothing-to-look-for' | 'looking' | 'found' | 'failed'
  readonly found: LinkedFound | null
  readonly error: unknown
  readonly retry: () => void
}

/**
 * The search runs a moment after the last key, among what the filters let through. `readable` is false while a
 * filter is invalid: then nothing is searched.
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
  // The text of a link is not being typed.
  const pause = typed.link === null ? (understood?.pause ?? pauseUntilRead) : 0
  const wanted = useSettled(typed, pause)
  const rest = { ...givenFilters(search), ...(cursor === null ? {} : { cursor }) }
  const isRendered = addressOf(rendered.search) === addressOf({ ...search, search: wanted.link })
  const queries = useQueryClient()
  const calmly = usePausedAnswers(
    () => void queries.invalidateQueries({ queryKey: ['transactions', 'found'] }),
  )
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

/** The matches do not depend on the order of the list. */
const addressOf = (search: TransactionsSearch) => transactionsUrl('', { ...search, sort: null })

/** The search has the text of its box, or the `link` for it. */
interface SearchText {
  readonly text: string
  readonly link: string | null
}

/**
 * The text of the box comes from the link in the address, from the text behind # in it, or from typing. A reader
 * who comes back to a search sees a page that was drawn before it, so `link` is that of the present address.
 */
export function useSearchText(rendered: Rendered, link: string | null) {
  const [from, setFrom] = useState(rendered)
  const [typed, setTyped] = useState(() => linked(rendered, link))
  // Another address was opened.
  if (rendered !== from) {
    setFrom(rendered)
    setTyped(linked(rendered, rendered.search.search))
  }
  useEffect(() => {
    const takeHash = () => {
      const text = decodePathPart(location.hash.slice(1))
      // The address beside a transaction is that of something in it.
      if (text === '' || location.pathname !== '/transactions') return
      history.replaceState(history.state, '', location.pathname)
      setTyped({ text, link: null })
    }
    takeHash()
    window.addEventListener('hashchange', takeHash)
    return () => window.removeEventListener('hashchange', takeHash)
  }, [])
  return { typed, type: (text: string) => setTyped({ text, link: null }) }
}

/** The text of a link comes together with its matches. */
const linked = ({ deadLink }: Rendered, link: string | null): SearchText => ({
  text: '',
  link: deadLink ? null : link,
})

type Understand = (text: string) => Understood

/** The module loads when somebody is about to search, once for all lists. */
const load = async (): Promise<Understand> => (await import('#lib/search/rules/understand.ts')).understand
let loaded: Understand | null = null

/** A browser that cannot load the module has the server read the text. */
const leaveToServer: Understand = (text) => ({
  searchable: text.trim() !== '',
  explanation: '',
  pause: pauseUntilRead,
})

/** A text may become an account number while nobody knows how it is understood. */
const pauseUntilRead = longestPause

/** The hook tells how a text is understood; null while the module loads, once a text is `given`. */
function useUnderstanding(given: boolean): Understand | null {
  const [understand, setUnderstand] = useState<Understand | null>(() => loaded)
  useEffect(() => {
    if (!given || understand) return
    void load()
      .then((fetched) => {
        loaded = fetched
        return fetched
      })
      .catch(() => leaveToServer)
      .then((reading) => setUnderstand(() => reading))
  }, [given, understand])
  return understand
}

export const prepareUnderstanding = (): void => void load().catch(() => leaveToServer)

/**
 * The hook gives the `pausedAnswers` of this tab. `again` asks the question again; the first function that was given
 * is kept.
 */
function usePausedAnswers(again: () => void) {
  const [{ calmly, onVisible, stop }] = useState(() => pausedAnswers(again, isHidden))
  useEffect(() => {
    document.addEventListener('visibilitychange', onVisible)
    return () => {
      document.removeEventListener('visibilitychange', onVisible)
      stop()
    }
  }, [onVisible, stop])
  return calmly
}

const isHidden = () => document.visibilityState === 'hidden'

interface Given {
  readonly key: string
  readonly found: LinkedFound
  /** `until` is in ms since 1970. */
  readonly until: number
}

/** An answer is valid for this many milliseconds, and a little longer for each line of a paste. */
const [shortest, eachLine] = [4_000, 1_500]

/**
 * Each search counts against a limit, and changes may arrive many times a second. For a while the same question
 * gets the same answer; then `again` asks it anew. A hidden tab asks only when it is visible again, so that
 * forgotten tabs leave the limit to people who type.
 */
export function pausedAnswers(again: () => void, isHidden: () => boolean) {
  let given: Given | null = null
  let timer: ReturnType<typeof setTimeout> | undefined
  let owed = false
  return {
    calmly: async (key: string, ask: () => Promise<LinkedFound>): Promise<LinkedFound> => {
      const known = given?.key === key ? given : null
      owed = known !== null && isHidden()
      if (known && owed) return known.found
      const left = known ? known.until - Date.now() : 0
      if (known && left > 0) {
        clearTimeout(timer)
        timer = setTimeout(again, left)
        return known.found
      }
      const found = await ask()
      const pause = Math.max(shortest, eachLine * (found.lines?.length ?? 1))
      given = { key, found, until: Date.now() + pause }
      return found
    },
    onVisible: () => {
      if (owed && !isHidden()) again()
    },
    stop: () => clearTimeout(timer),
  }
}
