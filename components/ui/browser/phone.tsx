'use client'

import { createContext, type ReactNode, useContext } from 'react'
import { useMedia } from './use-media.ts'

const IsPhone = createContext(false)

/** Carries whether the browser says that it is one of a phone, as those of Chromium do (`Sec-CH-UA-Mobile`). */
export const Phone = ({ is, children }: { readonly is: boolean; readonly children: ReactNode }) => (
  <IsPhone value={is}>{children}</IsPhone>
)

/** As `@4xl` says it; a list is never wider than its window. */
const query = '(min-width: 56rem)'

/**
 * Whether a list may be a table as well as blocks, of which the stylesheet shows what fits. On a phone it may once the window
 * is as wide: to make both costs a phone half of its time to first paint.
 */
export function useMayBeTable(): boolean {
  const isPhone = useContext(IsPhone)
  const isWide = useMedia(query)
  return isWide || !isPhone
}
