'use client'

import { useSyncExternalStore } from 'react'
import { type Connector, useConnectors } from 'wagmi'
import type { CustomerWords } from '#lib/words/labels/customer-labels.ts'

/**
 * Wallets of this browser; null on the server and during hydration. The generic wallet without announcement
 * is listed only when no other wallet is found.
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

/** As the wallet calls itself; one that does not announce itself has no name of its own. */
export const walletName = (words: CustomerWords, { id, name }: Pick<Connector, 'id' | 'name'>) =>
  id === 'injected' ? words('signIn.browserWallet') : name

const never = () => () => {}
