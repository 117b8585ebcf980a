'use client'

import { useRouter } from 'next/navigation'
import { useTransition } from 'react'
import { isLocked } from '../session/session-clock.ts'
import { useChanges } from './live.tsx'

/** Renders the page's server part again whenever one of its subjects has changed. */
export function RefreshOnChange({ subjects }: { readonly subjects: readonly string[] | 'any' }) {
  const router = useRouter()
  const [, startTransition] = useTransition()
  useChanges(subjects, () => {
    if (!isLocked()) startTransition(() => router.refresh())
    return undefined
  })
  return null
}
