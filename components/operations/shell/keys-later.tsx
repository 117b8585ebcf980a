'use client'

import { useEffect, useState } from 'react'
import { keysAsked } from '#components/search/palette/open-keys.ts'
import { useLater } from '#components/ui/browser/use-later.ts'

/** `KeysList`, fetched when somebody first asks for it, see `openKeys`. */
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
