'use client'

import { useSyncExternalStore } from 'react'

/** Where a list stands beside what it opened: 1800 px at the usual size of text. CSS says the same by `min-[112.5rem]:`. */
const query = '(min-width: 112.5rem)'

/** Whether the window is as wide; false until the page has its scripts. */
export const useWide = (): boolean =>
  useSyncExternalStore(
    subscribe,
    () => matchMedia(query).matches,
    () => false,
  )

function subscribe(listener: () => void): () => void {
  const wide = matchMedia(query)
  wide.addEventListener('change', listener)
  return () => wide.removeEventListener('change', listener)
}
