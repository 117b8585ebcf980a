'use client'

import { useEffect } from 'react'
import { decodePathPart } from '#components/browser/decode-path-part.ts'
import { useQuickSearch } from '#components/search/use-quick-search.ts'

/** Opens what stands behind # in the address. */
export function GoToHash() {
  const find = useQuickSearch()
  useEffect(() => {
    void find(decodePathPart(location.hash.slice(1)), { how: 'replace' })
  }, [find])
  return null
}
