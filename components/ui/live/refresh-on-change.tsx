'use client'

import { useChanges } from './live.tsx'
import { useRefresh } from './use-refresh.ts'

/** Renders the page's server part again whenever one of its subjects has changed. */
export function RefreshOnChange({ subjects }: { readonly subjects: readonly string[] | 'any' }) {
  const refresh = useRefresh()
  useChanges(subjects, () => {
    refresh()
    return undefined
  })
  return null
}
