'use client'

import { useRouter } from 'next/navigation'
import { useCallback, useEffect, useRef, useTransition } from 'react'
import { useChanges } from './live.tsx'
import { onceAnswered, type Waiting } from './once-answered.ts'

/** Renders the page's server part again, once the server answers. */
export function useRefresh(): () => void {
  const router = useRouter()
  const [, startTransition] = useTransition()
  const waiting = useRef<Waiting>(null)
  useEffect(() => {
    const one = onceAnswered(() => startTransition(() => router.refresh()))
    waiting.current = one
    return one.stop
  }, [router])
  return useCallback(() => waiting.current?.ask(), [])
}

/** Renders the page's server part again every so many seconds, while somebody can see it, and as soon as they see it again. */
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

/** Renders the page's server part again whenever one of its subjects has changed. */
export function RefreshOnChange({ subjects }: { readonly subjects: readonly string[] | 'any' }) {
  const refresh = useRefresh()
  useChanges(subjects, () => {
    refresh()
    return undefined
  })
  return null
}
