'use client'

import { type ComponentProps, useEffect, useState } from 'react'
import { PaletteHost } from '#components/search/palette/palette-host.tsx'
import {
  isPaletteOpen,
  keysAsked,
  openKeys,
  setPaletteOpen,
} from '#components/search/palette/palette-state.ts'
import { useLater } from '#components/ui/browser/loaded-later.ts'
import { isComposing, isTyping, useRowControls } from '#components/ui/browser/row-keys.tsx'
import { useQuickSearch } from '#components/ui/search/search-link.tsx'

/** These keys work on every page, also pasting; the palette is here too. */
export function Shortcuts(palette: ComponentProps<typeof PaletteHost>) {
  const find = useQuickSearch()
  useRowControls()
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (isComposing(event)) return
      if ((event.metaKey || event.ctrlKey) && event.key.toLowerCase() === 'k') {
        event.preventDefault()
        return setPaletteOpen(!isPaletteOpen())
      }
      if (isTyping(event.target) || event.metaKey || event.ctrlKey || event.altKey) return
      if (event.key === '/') {
        event.preventDefault()
        if (!focusSearch()) setPaletteOpen(true)
      }
      if (event.key === '?') openKeys()
    }
    const onPaste = (event: ClipboardEvent) => {
      if (!isTyping(event.target)) void find(event.clipboardData?.getData('text') ?? '')
    }
    document.addEventListener('keydown', onKey)
    document.addEventListener('paste', onPaste)
    return () => {
      document.removeEventListener('keydown', onKey)
      document.removeEventListener('paste', onPaste)
    }
  }, [find])
  return <PaletteHost {...palette} />
}

/** The search of the page gets the focus if it is visible. */
function focusSearch(): boolean {
  for (const field of document.querySelectorAll<HTMLInputElement>('[data-search]')) {
    if (!field.checkVisibility()) continue
    field.focus()
    field.select()
    return true
  }
  return false
}

/** `KeysList` loads when somebody first asks for it, see `openKeys`. */
export function KeysLater() {
  const [isOpen, setIsOpen] = useState(false)
  const List = useLater(load, isOpen)
  useEffect(() => {
    const open = () => setIsOpen(true)
    document.addEventListener(keysAsked, open)
    return () => document.removeEventListener(keysAsked, open)
  }, [])
  return isOpen && List ? <List onClose={() => setIsOpen(false)} /> : null
}

const load = async () => (await import('./keys-list.tsx')).KeysList
