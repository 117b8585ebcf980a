'use client'

import { useSearchParams } from 'next/navigation'
import { type RefObject, useEffect, useEffectEvent } from 'react'
import { ownValue } from '#lib/platform/rules/names.ts'
import { useKeptPlace } from './kept-place.ts'

/**
 * A list that the server drew gets keys: `j` and `k` move through its rows, and a reader who comes back finds their
 * place.
 */
export function RowKeys() {
  useRowKeys()
  useKeptPlace(useSearchParams())
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

/** The drawer and the list of keys close for the palette, and for words that they would cover. */
export function makeWay(): void {
  for (const dialog of document.querySelectorAll<HTMLDialogElement>('dialog[open][data-makes-way]'))
    dialog.close()
}

/** A dialog is open over the page. A closed popover is in the page too, but invisible. */
export const isDialogOpen = (): boolean =>
  [...document.querySelectorAll('dialog[open], [role=dialog], [role=alertdialog]')].some((dialog) =>
    dialog.checkVisibility(),
  )

/** Keys belong to the focused element, to what asks for a text on the page, or to an open dialog. */
export function isTyping(target: EventTarget | null): boolean {
  if (!(target instanceof HTMLElement)) return false
  if (isDialogOpen()) return true
  return target.isContentEditable || target.matches('input, textarea, select, [data-asks], [data-asks] *')
}

/**
 * The key belongs to an input method, with which people write Japanese or Chinese: Enter takes a candidate, Escape none. Some
 * browsers say so only by the number of the key.
 */
export const isComposing = (event: Pick<KeyboardEvent, 'isComposing' | 'keyCode'>): boolean =>
  event.isComposing || event.keyCode === 229

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

/**
 * Escape closes what is open on the page itself, after dialogs, menus and searches, which get the key first. With
 * `within`, it works only while the focus is inside.
 */
export function useEscape(isOpen: boolean, close: () => void, within?: RefObject<HTMLElement | null>): void {
  const onEscape = useEffectEvent((event: KeyboardEvent) => {
    if (event.key !== 'Escape' || event.defaultPrevented || somethingIsAbove()) return
    if (within && !within.current?.contains(document.activeElement)) return
    if (isTyping(document.activeElement)) return
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
