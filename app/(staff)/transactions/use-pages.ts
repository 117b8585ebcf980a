'use client'

import { useState } from 'react'

/** Turns the pages of a list whose place is in the address; back from a page that a link opened is the first one. */
export function usePages(cursor: string | null, onCursor: (cursor: string | null) => void) {
  const [newer, setNewer] = useState<readonly (string | null)[]>([])
  return {
    onNewer: cursor
      ? () => {
          onCursor(newer.at(-1) ?? null)
          setNewer(newer.slice(0, -1))
        }
      : null,
    onOlderTo: (next: string | null) =>
      next
        ? () => {
            setNewer([...newer, cursor])
            onCursor(next)
          }
        : null,
  }
}
