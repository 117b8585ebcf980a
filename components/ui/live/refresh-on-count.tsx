'use client'

import { useEffect, useRef } from 'react'
import type { AttentionCounts } from '#lib/operations/rules/health.ts'
import { useLiveStatus } from './live.tsx'
import { useRefresh } from './refresh.tsx'

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
