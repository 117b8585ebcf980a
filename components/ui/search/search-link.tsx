'use client'

import { clsx } from 'clsx'
import { useRouter } from 'next/navigation'
import { type ReactNode, useCallback } from 'react'
import type { LinkedFound } from '#lib/search/search.ts'
import { postJson } from '../browser/fetch-json.ts'
import { subjectPath } from '../browser/paths.ts'
import { openPage } from '../form/open-page.ts'

/** Looks for everything of a person, an e-mail or an id. What it looks for stands behind # in its address, and in no log. */
export function SearchLink({
  text,
  children,
  className,
  beside = false,
}: {
  readonly text: string
  readonly children: ReactNode
  readonly className?: string
  /** Beside the link of a row, which is the one that the Tab key reaches. */
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
  /** `list` shows everything that is found, also when it is one. A function chooses the page to open; null leaves it to the list. */
  readonly open?: 'one' | 'list' | ((found: LinkedFound) => string | null)
}

/** Looks for whatever was typed or pasted: opens the one subject it names, or else the list of what was found. */
export function useQuickSearch(): (text: string, how?: How) => Promise<void> {
  const router = useRouter()
  return useCallback(
    async (text, { how = 'push', open = 'one' } = {}) => {
      const wanted = text.trim().slice(0, longest)
      if (wanted === '') return
      const found = await find(wanted)
      const path = found && pathOf(found, open)
      if (path) return openPage(path, () => router[how](path))
      // The list asks itself, and says what is wrong. What stands behind # never leaves the browser.
      const list = `/transactions#${encodeURIComponent(wanted)}`
      openPage(list, () => location.assign(list), found !== null)
    },
    [router],
  )
}

/** Characters of a paste that are looked at. */
const longest = 20_000

/** Null when the question could not be put. */
const find = (text: string) =>
  postJson<LinkedFound>('/api/search', { text }, AbortSignal.timeout(20_000)).catch(() => null)

/** Null when there is nothing to look for. */
function pathOf(found: LinkedFound, open: NonNullable<How['open']>): string | null {
  const { exact, link } = found
  if (exact && open === 'one') return subjectPath(exact)
  const chosen = typeof open === 'function' ? open(found) : null
  if (chosen) return chosen
  return link ? `/transactions?search=${link}` : null
}
