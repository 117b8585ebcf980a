'use client'

import { useEffect, useRef } from 'react'
import type { LinkedFound } from '#lib/search/search.ts'

interface Given {
  readonly key: string
  readonly found: LinkedFound
  /** Milliseconds since 1970. */
  readonly until: number
}

/** An answer holds for so long, and for each line of a paste a little longer. Milliseconds. */
const [shortest, eachLine] = [4_000, 1_500]

/**
 * Each search counts against a limit, and news may arrive many times a second: within a while the same question gets the answer
 * that it got, and is put again when the while is over.
 */
export function useCalmAnswers(again: () => void) {
  const given = useRef<Given | null>(null)
  const timer = useRef<ReturnType<typeof setTimeout> | undefined>(undefined)
  useEffect(() => () => clearTimeout(timer.current), [])
  return async (key: string, ask: () => Promise<LinkedFound>): Promise<LinkedFound> => {
    const last = given.current
    const left = last?.key === key ? last.until - Date.now() : 0
    if (last && left > 0) {
      clearTimeout(timer.current)
      timer.current = setTimeout(again, left)
      return last.found
    }
    const found = await ask()
    const pause = Math.max(shortest, eachLine * (found.lines?.length ?? 1))
    given.current = { key, found, until: Date.now() + pause }
    return found
  }
}
