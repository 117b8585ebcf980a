'use client'

import { createContext, type ReactNode, useCallback, useContext, useSyncExternalStore } from 'react'

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

const IsPhone = createContext(false)

/** The context says whether the browser calls itself one of a phone, as Chromium's do (`Sec-CH-UA-Mobile`). */
export const Phone = ({ is, children }: { readonly is: boolean; readonly children: ReactNode }) => (
  <IsPhone value={is}>{children}</IsPhone>
)

/** `@4xl` has the same width; a list is never wider than its window. */
const phoneQuery = '(min-width: 56rem)'

/**
 * A list may be a table as well as blocks, and the stylesheet shows the one that fits. A phone makes both only once
 * its window is wide enough, because both take half of its time to first paint.
 */
export function useMayBeTable(): boolean {
  const isPhone = useContext(IsPhone)
  const isWide = useMedia(phoneQuery)
  return isWide || !isPhone
}
