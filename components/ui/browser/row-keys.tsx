'use client'

import { useEffect, useEffectEvent } from 'react'
import { ownValue } from '#lib/platform/rules/names.ts'
import { useKeptPlace } from './kept-place.ts'
import { isTyping } from './keys.ts'

/**
 * A list that the server drew gets keys: `j` and `k` move through its rows, and a reader who comes back finds their
 * place.
 */
export function RowKeys() {
  useRowKeys()
  useKeptPlace()
  return null
}

/**
 * `j` and `k` move the focus between links marked `data-row`; the browser itself handles Enter. When a list is
 * beside what it opened, they begin at that row and stay in the list.
 */
export function useRowKeys(onWalk?: (row: HTMLElement) => void): void {
  const walked = useEffectEvent((row: HTMLElement) => onWalk?.(row))
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      const by = ownValue({ j: 1, k: -1 }, event.key)
      if (by === undefined || event.metaKey || event.ctrlKey || event.altKey || isTyping(event.target)) return
      const rows = [...listOf().querySelectorAll<HTMLElement>('[data-row]')].filter((row) =>
        row.checkVisibility(),
      )
      const focused = rows.findIndex((row) => row.matches(':focus'))
      const at = focused === -1 ? rows.findIndex((row) => row.matches('[aria-current]')) : focused
      const to = rows[at === -1 ? (by === 1 ? 0 : rows.length - 1) : at + by]
      if (!to) return
      to.focus()
      to.scrollIntoView({ block: 'nearest' })
      walked(to)
    }
    document.addEventListener('keydown', onKey)
    return () => document.removeEventListener('keydown', onKey)
  }, [])
}

function listOf(): ParentNode {
  const beside = document.querySelector('[data-list-beside]')
  return beside?.checkVisibility() ? beside : document
}
