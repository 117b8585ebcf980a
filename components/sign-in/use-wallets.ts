'use client'

import { useSyncExternalStore } from 'react'
import { type Connector, useConnectors } from 'wagmi'

/**
 * The wallets of this browser. Null on the server and while the page wakes up, when nobody can know; the nameless
 * wallet that does not announce itself counts only when no other does.
 */
export function useWallets(): readonly Connector[] | null {
  const connectors = useConnectors()
  const awake = useSyncExternalStore(
    never,
    () => true,
    () => false,
  )
  if (!awake) return null
  const named = connectors.filter((connector) => connector.id !== 'injected')
  return named.length > 0 || !('ethereum' in window) ? named : connectors
}

const never = () => () => {}
