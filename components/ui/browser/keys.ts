'use client'

import { useEffect } from 'react'
import { ownValue } from '#lib/platform/rules/names.ts'

/** A dialog is open over the page. A closed popover is in the page too, but invisible. */
export const isDialogOpen = (): boolean =>
  [...document.querySelectorAll('dialog[open], [role=dialog], [role=alertdialog]')].some((dialog) =>
    dialog.checkVisibility(),
  )

/** Keys belong to the focused element, or to an open dialog. */
export function isTyping(target: EventTarget | null): boolean {
  if (!(target instanceof HTMLElement)) return false
  if (isDialogOpen()) return true
  return target.isContentEditable || target.matches('input, textarea, select')
}

/**
 * A row of a list is one Tab stop, its link marked `data-row`. → and ← lead from there to the row's other controls,
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
