'use client'

import { useEffect } from 'react'
import { isTyping } from './is-typing.ts'

/** `j` and `k` move the focus between links marked `data-row`; Enter on a link is the browser's own. */
export function useRowKeys(): void {
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      const by = { j: 1, k: -1 }[event.key]
      if (by === undefined || event.metaKey || event.ctrlKey || event.altKey || isTyping(event.target)) return
      const rows = [...document.querySelectorAll<HTMLElement>('[data-row]')].filter((row) =>
        row.checkVisibility(),
      )
      const at = rows.findIndex((row) => row.matches(':focus'))
      const to = rows[at === -1 ? (by === 1 ? 0 : rows.length - 1) : at + by]
      to?.focus()
      to?.scrollIntoView({ block: 'nearest' })
    }
    document.addEventListener('keydown', onKey)
    return () => document.removeEventListener('keydown', onKey)
  }, [])
}
