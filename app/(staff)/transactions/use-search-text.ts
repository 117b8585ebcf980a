'use client'

import { useEffect, useState } from 'react'
import { decodePathPart } from '#components/ui/browser/decode-path-part.ts'
import type { Rendered } from './rendered.ts'

/** The text of the search box, or the `link` that stands for it. */
export interface SearchText {
  readonly text: string
  readonly link: string | null
}

/**
 * The text of the box: of the link in the address, of what stands behind # in it, or as it was typed since.
 * @param link in the address: whoever comes back to a search comes to a page that was drawn before it
 */
export function useSearchText(rendered: Rendered, link: string | null) {
  const [from, setFrom] = useState(rendered)
  const [typed, setTyped] = useState(() => linked(rendered, link))
  // Another address was gone to.
  if (rendered !== from) {
    setFrom(rendered)
    setTyped(linked(rendered, rendered.search.search))
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

/** The text behind a link comes with what it finds. */
const linked = ({ deadLink }: Rendered, link: string | null): SearchText => ({
  text: '',
  link: deadLink ? null : link,
})
