'use client'

import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import { WagmiProvider } from 'wagmi'
import { newWalletConfig } from './wallet-config.ts'

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
