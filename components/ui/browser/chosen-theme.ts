'use client'

import { useSyncExternalStore } from 'react'
import { keepCookie } from './keep-cookie.ts'
import { parseTheme, type Theme, themeCookie } from './theme.ts'

const listeners = new Set<() => void>()

/** The theme takes effect at once on every page, and is kept in this browser. */
export function chooseTheme(theme: Theme): void {
  document.documentElement.dataset.theme = theme
  keepCookie(themeCookie, theme)
  for (const notify of listeners) notify()
}

/** The hook returns the chosen theme; `made` is the theme that the page was rendered with. */
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
