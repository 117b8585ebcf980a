'use client'

import { useEffect, useState } from 'react'
import { useLater } from '../browser/use-later.ts'
import { keysAsked } from '../palette/open-keys.ts'

/** `KeysList`, fetched when somebody first asks for it, see `openKeys`. */
export function KeysLater() {
  const [timesAsked, setTimesAsked] = useState(0)
  const List = useLater(load, timesAsked > 0)
  useEffect(() => {
    const ask = () => setTimesAsked((times) => times + 1)
    document.addEventListener(keysAsked, ask)
    return () => document.removeEventListener(keysAsked, ask)
  }, [])
  return List && <List timesAsked={timesAsked} />
}

const load = async () => (await import('./keys-list.tsx')).KeysList
