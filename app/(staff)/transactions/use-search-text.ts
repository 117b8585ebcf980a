'use client'

import { useEffect, useState } from 'react'
import { decodePathPart } from '#components/browser/decode-path-part.ts'
import type { Rendered } from './rendered.ts'

/** What stands in the search box; `link` while it is what a link stood for, masked perhaps. */
export interface SearchText {
  readonly text: string
  readonly link: string | null
}

/** The text of the box: of the link in the address, of what stands behind # in it, or as it was typed since. */
export function useSearchText(rendered: Rendered) {
  const [from, setFrom] = useState(rendered)
  const [typed, setTyped] = useState(() => textOf(rendered))
  // Another address was gone to.
  if (rendered !== from) {
    setFrom(rendered)
    setTyped(textOf(rendered))
  }
  useEffect(() => {
    const takeHash = () => {
      const text = decodePathPart(location.hash.slice(1))
      // Beside a transaction, that is the address of something in it.
      if (text === '' || location.pathname !== '/transactions') return
      history.replaceState(history.state, '', location.pathname)
      setTyped({ text, link: null })
    }
    takeHash()
    window.addEventListener('hashchange', takeHash)
    return () => window.removeEventListener('hashchange', takeHash)
  }, [])
  return { typed, type: (text: string) => setTyped({ text, link: null }) }
}

const textOf = ({ search, found, deadLink }: Rendered): SearchText =>
  deadLink ? { text: '', link: null } : { text: found?.text ?? '', link: search.search }
