'use client'

import { useEffect } from 'react'
import { useRefresh } from './use-refresh.ts'

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
