'use client'

import { useRouter } from 'next/navigation'
import { useEffect } from 'react'
import { isLocked } from '../session/session-clock.ts'

/** Renders the page's server part again every so many seconds, while somebody can see it. */
export function RefreshEvery({ seconds }: { readonly seconds: number }) {
  const router = useRouter()
  useEffect(() => {
    const timer = setInterval(() => {
      if (document.visibilityState === 'visible' && !isLocked()) router.refresh()
    }, seconds * 1000)
    return () => clearInterval(timer)
  }, [router, seconds])
  return null
}
