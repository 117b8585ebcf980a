'use client'

import { useSyncExternalStore } from 'react'
import { keepCookie } from './keep-cookie.ts'
import { parseTheme, type Theme, themeCookie } from './theme.ts'

const listeners = new Set<() => void>()

/** Takes effect at once, wherever it is chosen, and is kept in this browser. */
export function chooseTheme(theme: Theme): void {
  document.documentElement.dataset.theme = theme
  keepCookie(themeCookie, theme)
  for (const notify of listeners) notify()
}

/** The theme that is chosen now; `made` is the one that the page was made with. */
export const useTheme = (made: Theme): Theme =>
  useSyncExternalStore(
    subscribe,
    () => parseTheme(document.documentElement.dataset.theme),
    () => made,
  )

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}
