'use client'

import { useEffect } from 'react'
import { useRefresh } from './use-refresh.ts'

/** Renders the page's server part again every so many seconds, while somebody can see it. */
export function RefreshEvery({ seconds }: { readonly seconds: number }) {
  const refresh = useRefresh()
  useEffect(() => {
    const timer = setInterval(() => {
      if (document.visibilityState === 'visible') refresh()
    }, seconds * 1000)
    return () => clearInterval(timer)
  }, [refresh, seconds])
  return null
}
