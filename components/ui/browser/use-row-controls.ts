'use client'

import { useEffect } from 'react'
import { ownValue } from '#lib/platform/rules/own-value.ts'
import { isTyping } from './is-typing.ts'

/**
 * A row of a list is one Tab stop, its link marked `data-row`; → and ← lead from there to what else can be done with the row,
 * and back.
 */
export function useRowControls(): void {
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      const by = ownValue({ ArrowRight: 1, ArrowLeft: -1 }, event.key)
      if (by === undefined || event.defaultPrevented || isTyping(event.target)) return
      if (event.metaKey || event.ctrlKey || event.altKey || event.shiftKey) return
      const to = controlBeside(by)
      if (!to) return
      event.preventDefault()
      to.focus()
    }
    document.addEventListener('keydown', onKey)
    return () => document.removeEventListener('keydown', onKey)
  }, [])
}

function controlBeside(by: number): HTMLElement | undefined {
  const row = document.activeElement?.closest('tr, li')
  if (!row?.querySelector('[data-row]')) return undefined
  const controls = [...row.querySelectorAll<HTMLElement>('a[href], button:enabled')].filter((control) =>
    control.checkVisibility(),
  )
  const at = controls.findIndex((control) => control.matches(':focus'))
  return at === -1 ? undefined : controls[at + by]
}
