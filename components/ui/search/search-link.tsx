'use client'

import { clsx } from 'clsx'
import { useRouter } from 'next/navigation'
import { type ReactNode, useCallback } from 'react'
import { longestPaste } from '#lib/search/rules/limits.ts'
import type { LinkedFound } from '#lib/search/search.ts'
import { postJson } from '../browser/fetch-json.ts'
import { subjectPath } from '../browser/paths.ts'
import { linkFollowedHere, openPage } from '../form/leave-guard.ts'

/**
 * The link searches for everything of a person, an e-mail address or an id. The searched text is behind # in its
 * address, so it is in no log.
 */
export function SearchLink({
  text,
  children,
  className,
  beside = false,
}: {
  readonly text: string
  readonly children: ReactNode
  readonly className?: string
  /** `beside`: the link is beside the link of a row, which is the one that the Tab key reaches. */
  readonly beside?: boolean
}) {
  const find = useQuickSearch()
  return (
    <a
      href={`/transactions#${encodeURIComponent(text)}`}
      title="Search for this"
      {...(beside ? { tabIndex: -1 } : {})}
      onClick={(event) => {
        if (event.metaKey || event.ctrlKey || event.shiftKey || event.button !== 0) return
        event.preventDefault()
        void find(text, { open: 'list' })
      }}
      className={clsx('hover:underline', beside && 'relative z-10', className)}
    >
      {children}
    </a>
  )
}

interface How {
  readonly how?: 'push' | 'replace'
  /**
   * `list` shows all results, also when there is one. A function chooses the page to open; null leaves it to the
   * list.
   */
  readonly open?: 'one' | 'list' | ((found: LinkedFound) => string | null)
}

/**
 * The function searches for a typed or pasted text. It opens the one subject that the text names, or else the list
 * of results, unless the reader has begun another search or opened another page before the answer.
 */
export function useQuickSearch(): (text: string, how?: How) => Promise<void> {
  const router = useRouter()
  return useCallback(
    async (text, { how = 'push', open = 'one' } = {}) => {
      const wanted = text.trim().slice(0, longestPaste)
      if (wanted === '') return
      const [ended, from] = [beginSearch(), here()]
      const found = await find(wanted, ended)
      if (ended.aborted || here() !== from) return
      const path = found && pathOf(found, open)
      if (path) return openPage(path, () => router[how](path))
      // The list searches itself, and shows what is wrong. The text behind # never leaves the browser.
      const list = `/transactions#${encodeURIComponent(wanted)}`
      openPage(list, () => location.assign(list), found !== null)
    },
    [router],
  )
}

/** The search stands until another one begins, or a link is followed whose page may still be on its way. */
let standing = new AbortController()

function beginSearch(): AbortSignal {
  standing.abort()
  const search = new AbortController()
  standing = search
  const { signal } = search
  const endAtLink = (event: MouseEvent) => linkFollowedHere(event) && search.abort()
  window.addEventListener('click', endAtLink, { capture: true, signal })
  return signal
}

const here = () => location.pathname + location.search

/** The result is null when the server could not be asked. */
const find = (text: string, ended: AbortSignal) =>
  postJson<LinkedFound>('/api/search', { text }, ended).catch(() => null)

/** The path is null when there is nothing to search for. */
function pathOf(found: LinkedFound, open: NonNullable<How['open']>): string | null {
  const { exact, link } = found
  if (exact && open === 'one') return subjectPath(exact)
  const chosen = typeof open === 'function' ? open(found) : null
  if (chosen) return chosen
  return link ? `/transactions?search=${link}` : null
}
