'use client'

import { useEffect, useState } from 'react'
import { FetchFailed, failureText, postJson } from '#components/ui/browser/fetch-json.ts'
import { understand } from '#lib/search/rules/understand.ts'
import type { LinkedFound } from '#lib/search/search.ts'
import { foundCount, linesFoundCount } from '../found-count.ts'

/** The palette searches for its text, and this is the state of the search. */
interface PaletteSearch {
  readonly state: 'nothing-to-look-for' | 'looking' | 'found' | 'failed'
  /** `found` belongs to this text, or to the one before it until the answer arrives. */
  readonly found: LinkedFound | null
  readonly explanation: string
  /** `failure` says why the search failed, and what to do. */
  readonly failure: string | null
}

interface Answer {
  readonly text: string
  readonly found: LinkedFound | null
  readonly failure: string | null
}

/**
 * The search runs a moment after the last key. Changes that arrive meanwhile are ignored, because nobody stays in
 * the palette.
 */
export function usePaletteSearch(typed: string): PaletteSearch {
  const text = typed.trim()
  const [answer, setAnswer] = useState<Answer | null>(null)
  const { searchable: possible, explanation, pause } = understand(text)
  useEffect(() => {
    if (!possible) return
    const leave = new AbortController()
    const ask = async () => {
      const asked = postJson<LinkedFound>('/api/search', { text, limit: 6 }, leave.signal)
      const answered = await asked.then(
        (found) => ({ text, found, failure: null }),
        (error: unknown) => {
          if (!leave.signal.aborted && !(error instanceof FetchFailed)) throw error
          return { text, found: null, failure: failureText(error) }
        },
      )
      if (!leave.signal.aborted) setAnswer(answered)
    }
    const timer = setTimeout(() => void ask(), pause)
    return () => {
      clearTimeout(timer)
      leave.abort()
    }
  }, [text, possible, pause])
  const isCurrent = answer?.text === text
  return {
    state: !possible ? 'nothing-to-look-for' : !isCurrent ? 'looking' : answer.found ? 'found' : 'failed',
    found: possible ? (answer?.found ?? null) : null,
    explanation,
    failure: isCurrent ? (answer?.failure ?? null) : null,
  }
}

/** The palette shows this line about its search. */
export function paletteStatus(text: string, { state, found, explanation, failure }: PaletteSearch): string {
  if (text.trim() === '')
    return '↑ ↓ choose · ↵ opens · what is pasted in several lines is answered line by line'
  if (state === 'nothing-to-look-for') return explanation
  if (state === 'looking') return `${explanation} · looking…`
  if (state === 'failed' || !found) return `${explanation} · the search failed. ${failure ?? ''}`
  if (found.lines) return `${explanation} · ${linesFoundCount(found.lines)}, ↵ shows each`
  return `${explanation} · ${foundCount(found)}`
}
