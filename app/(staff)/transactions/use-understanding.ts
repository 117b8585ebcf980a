'use client'

import { useEffect, useState } from 'react'
import { longestPause } from '#lib/search/rules/pauses.ts'
import type { Understood } from '#lib/search/rules/understand.ts'

type Understand = (text: string) => Understood

/** Fetched when somebody is about to search, once for all lists. */
const load = async (): Promise<Understand> => (await import('#lib/search/rules/understand.ts')).understand
let loaded: Understand | null = null

/** Whoever cannot fetch how to read it has the server read it. */
const leaveToServer: Understand = (text) => ({
  searchable: text.trim() !== '',
  explanation: '',
  pause: pauseUntilRead,
})

/** While nobody knows how a text is understood, it may become an account number. */
export const pauseUntilRead = longestPause

/** Says how a text is understood; null while that is being fetched, once a text is `given`. */
export function useUnderstanding(given: boolean): Understand | null {
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
