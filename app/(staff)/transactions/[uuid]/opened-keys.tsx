'use client'

import { useEffect } from 'react'
import { isTyping } from '#components/ui/browser/is-typing.ts'
import { useWide } from '#components/ui/browser/use-wide.ts'
import { useEscapeToList } from '../use-escape-to-list.ts'

/** Where no list stands beside an open transaction, `j` and `k` open the ones after and before it, and Escape leads to the list. */
export function OpenedKeys() {
  const wide = useWide()
  useEscapeToList(wide ? null : '/transactions')
  useEffect(() => {
    if (wide) return
    const onKey = (event: KeyboardEvent) => {
      if (event.key !== 'j' && event.key !== 'k') return
      if (event.metaKey || event.ctrlKey || event.altKey || isTyping(event.target)) return
      document.querySelector<HTMLElement>(`main [aria-keyshortcuts=${event.key}]`)?.click()
    }
    document.addEventListener('keydown', onKey)
    return () => document.removeEventListener('keydown', onKey)
  }, [wide])
  return null
}
