'use client'

import { useRouter } from 'next/navigation'
import { useCallback, useEffect, useRef, useTransition } from 'react'
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
