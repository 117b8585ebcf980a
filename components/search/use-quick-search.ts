'use client'

import { useRouter } from 'next/navigation'
import { useCallback } from 'react'
import type { LinkedFound } from '#lib/search/search.ts'
import { postJson } from '../browser/fetch-json.ts'
import { subjectPath } from '../browser/subject-path.ts'
import { leaveFor } from '../form/leave-guard.ts'

interface How {
  readonly how?: 'push' | 'replace'
  /** `list` shows everything that is found, also when it is one. */
  readonly open?: 'one' | 'list'
}

/** Looks for whatever was typed or pasted: opens the one subject it names, or else the list of what was found. */
export function useQuickSearch(): (text: string, how?: How) => Promise<void> {
  const router = useRouter()
  return useCallback(
    async (text, { how = 'push', open = 'one' } = {}) => {
      const wanted = text.trim().slice(0, longest)
      if (wanted === '') return
      const path = await findPath(wanted, open)
      if (path !== null) return leaveFor(() => router[how](path))
      // The list asks itself, and says what is wrong. What stands behind # never leaves the browser.
      location.assign(`/transactions#${encodeURIComponent(wanted)}`)
    },
    [router],
  )
}

/** Characters of a paste that are looked at. */
const longest = 20_000

/** Null when there is nothing to look for, or when the question could not be put. */
async function findPath(text: string, open: 'one' | 'list'): Promise<string | null> {
  const asked = postJson<LinkedFound>('/api/search', { text }, AbortSignal.timeout(20_000))
  const found = await asked.catch(() => null)
  if (found?.exact && open === 'one') return subjectPath(found.exact)
  return found?.link ? `/transactions?search=${found.link}` : null
}
