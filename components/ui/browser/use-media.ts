'use client'

import { useCallback, useSyncExternalStore } from 'react'

/** The media query matches; false until the page has its scripts. */
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

/**
 * A list is beside what it opened at 1800 px and more, at the usual size of text. CSS says the same by
 * `min-[112.5rem]:`.
 */
const query = '(min-width: 112.5rem)'

/** The window is that wide; false until the page has its scripts. */
export const useWide = (): boolean => useMedia(query)
