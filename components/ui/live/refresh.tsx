'use client'

import { useRouter } from 'next/navigation'
import { useCallback, useEffect, useRef, useTransition } from 'react'
import type { AttentionCounts } from '#lib/operations/rules/health.ts'
import { isGuarded } from '../form/leave-guard.ts'
import { useChanges, useLiveStatus } from './live.tsx'
import { onceAnswered, type Waiting } from './once-answered.ts'

/**
 * The page's server part is rendered again once the server answers, and once nothing is left on it that is shown only
 * once: the new part may not contain that any more.
 */
function useRefresh(): () => void {
  const router = useRouter()
  const [, startTransition] = useTransition()
  const waiting = useRef<Waiting>(null)
  useEffect(() => {
    const one = onceAnswered(() => startTransition(() => router.refresh()), isGuarded)
    waiting.current = one
    return one.stop
  }, [router])
  return useCallback(() => waiting.current?.ask(), [])
}

/** The page's server part is rendered again every `seconds` while it is visible, and as soon as it becomes visible. */
export function RefreshEvery({ seconds }: { readonly seconds: number }) {
  const refresh = useRefresh()
  useEffect(() => {
    const refreshSeen = () => {
      if (document.visibilityState === 'visible') refresh()
    }
    const timer = setInterval(refreshSeen, seconds * 1000)
    document.addEventListener('visibilitychange', refreshSeen)
    return () => {
      clearInterval(timer)
      document.removeEventListener('visibilitychange', refreshSeen)
    }
  }, [refresh, seconds])
  return null
}

/** The page's server part is rendered again whenever one of its subjects has changed. */
export function RefreshOnChange({ subjects }: { readonly subjects: readonly string[] | 'any' }) {
  const refresh = useRefresh()
  useChanges(subjects, () => {
    refresh()
    return undefined
  })
  return null
}

/** The page's server part is rendered again when this number of the sidebar changes. */
export function RefreshOnCount({ count }: { readonly count: keyof AttentionCounts }) {
  const refresh = useRefresh()
  const now = useLiveStatus()?.counts[count] ?? null
  const before = useRef(now)
  useEffect(() => {
    if (before.current !== now) refresh()
    before.current = now
  }, [now, refresh])
  return null
}
