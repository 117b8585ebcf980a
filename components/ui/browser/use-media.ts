'use client'

import { useCallback, useSyncExternalStore } from 'react'

/** Whether a media query matches; false until the page has its scripts. */
export function useMedia(query: string): boolean {
  const subscribe = useCallback(
    (listener: () => void) => {
      const media = matchMedia(query)
      media.addEventListener('change', listener)
      return () => media.removeEventListener('change', listener)
    },
    [query],
  )
  return useSyncExternalStore(
    subscribe,
    () => matchMedia(query).matches,
    () => false,
  )
}

/** Where a list stands beside what it opened: 1800 px at the usual size of text. CSS says the same by `min-[112.5rem]:`. */
const query = '(min-width: 112.5rem)'

/** Whether the window is as wide; false until the page has its scripts. */
export const useWide = (): boolean => useMedia(query)
