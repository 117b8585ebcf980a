'use client'

import { type RefObject, useEffect, useEffectEvent } from 'react'
import { isDialogOpen } from './keys.ts'

/**
 * Escape closes what is open on the page itself, after dialogs, menus and searches, which get the key first. With
 * `within`, it works only while the focus is inside.
 */
export function useEscape(isOpen: boolean, close: () => void, within?: RefObject<HTMLElement | null>): void {
  const onEscape = useEffectEvent((event: KeyboardEvent) => {
    if (event.key !== 'Escape' || event.defaultPrevented || somethingIsAbove()) return
    if (within && !within.current?.contains(document.activeElement)) return
    if (document.activeElement?.matches('input, textarea, select')) return
    event.preventDefault()
    close()
  })
  useEffect(() => {
    if (!isOpen) return
    document.addEventListener('keydown', onEscape)
    return () => document.removeEventListener('keydown', onEscape)
  }, [isOpen])
}

const somethingIsAbove = () => isDialogOpen() || document.querySelector(':popover-open') !== null
