'use client'

import { useEffect, useState } from 'react'
import { useLater } from '../browser/use-later.ts'
import { keysAsked } from '../palette/open-keys.ts'

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
