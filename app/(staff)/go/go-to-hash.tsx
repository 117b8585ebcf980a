'use client'

import { LoaderCircle } from 'lucide-react'
import { type ReactNode, useEffect, useSyncExternalStore } from 'react'
import { namedPath } from '#components/search/named-path.ts'
import { decodePathPart } from '#components/ui/browser/paths.ts'
import { useQuickSearch } from '#components/ui/search/search-link.tsx'

/** The text behind # in the address is opened. Without one, `children` are shown. */
export function GoToHash({ children }: { readonly children: ReactNode }) {
  const find = useQuickSearch()
  const text = useSyncExternalStore(subscribeToHash, readHash, () => null)
  useEffect(() => {
    if (text) void find(text, { how: 'replace', open: namedPath })
  }, [find, text])
  if (text === '') return children
  return (
    <p role="status" className="mt-14 flex items-center justify-center gap-2 text-muted text-sm">
      <LoaderCircle className="size-4 animate-spin" aria-hidden />
      Opening…
    </p>
  )
}

const readHash = () => decodePathPart(location.hash.slice(1)).trim()

function subscribeToHash(listener: () => void): () => void {
  window.addEventListener('hashchange', listener)
  return () => window.removeEventListener('hashchange', listener)
}
