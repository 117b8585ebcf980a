'use client'

import { createContext, type ReactNode, useContext } from 'react'
import { useMedia } from './use-media.ts'

const IsPhone = createContext(false)

/** The context says whether the browser calls itself one of a phone, as Chromium's do (`Sec-CH-UA-Mobile`). */
export const Phone = ({ is, children }: { readonly is: boolean; readonly children: ReactNode }) => (
  <IsPhone value={is}>{children}</IsPhone>
)

/** `@4xl` has the same width; a list is never wider than its window. */
const query = '(min-width: 56rem)'

/**
 * A list may be a table as well as blocks, and the stylesheet shows the one that fits. A phone makes both only once
 * its window is wide enough, because both take half of its time to first paint.
 */
export function useMayBeTable(): boolean {
  const isPhone = useContext(IsPhone)
  const isWide = useMedia(query)
  return isWide || !isPhone
}
