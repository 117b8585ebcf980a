'use client'

import { useRouter } from 'next/navigation'
import { useCallback } from 'react'
import { subjectPath } from '../subject-path.ts'

/** Looks for whatever was typed or pasted: opens the one subject it names, or else the list of what was found. */
export function useQuickSearch(): (text: string) => Promise<void> {
  const router = useRouter()
  return useCallback(
    async (text) => {
      const wanted = text.trim().slice(0, 500)
      if (wanted === '') return
      const exact = await findOnlyMatch(wanted)
      router.push(exact ? subjectPath(exact) : `/transactions?q=${encodeURIComponent(wanted)}`)
    },
    [router],
  )
}

/** Null as well when the question could not be put; the list then says what is wrong. */
async function findOnlyMatch(text: string): Promise<string | null> {
  try {
    const answer = await fetch(`/api/search?q=${encodeURIComponent(text)}`)
    const found: unknown = answer.ok ? await answer.json() : null
    const exact = typeof found === 'object' && found !== null && 'exact' in found ? found.exact : null
    return typeof exact === 'string' ? exact : null
  } catch {
    return null
  }
}
