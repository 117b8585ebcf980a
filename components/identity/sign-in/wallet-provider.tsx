'use client'

import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import { createConfig, custom, WagmiProvider } from 'wagmi'
import { injected } from 'wagmi/connectors/injected'

/** For the pages that speak to a wallet: signing in and signing up, and no other. */
export function WalletProvider({ children }: { readonly children: ReactNode }) {
  const [config] = useState(newWalletConfig)
  const [queries] = useState(() => new QueryClient())
  return (
    <WagmiProvider config={config} reconnectOnMount={false}>
      <QueryClientProvider client={queries}>{children}</QueryClientProvider>
    </WagmiProvider>
  )
}

/** Finds the wallets of this browser (EIP-6963). Nothing is kept, and no chain is ever asked: a wallet only signs. */
const newWalletConfig = () =>
  createConfig({
    chains: [anyChain],
    connectors: [injected()],
    multiInjectedProviderDiscovery: true,
    storage: null,
    transports: { [anyChain.id]: custom({ request: refuse }) },
  })

/** wagmi wants one; the chain of a message is the wallet's own. */
const anyChain = {
  id: 1,
  name: 'Ethereum',
  nativeCurrency: { name: 'Ether', symbol: 'ETH', decimals: 18 },
  rpcUrls: { default: { http: [] } },
} as const

async function refuse(): Promise<never> {
  throw new Error('No chain is asked from here')
}
