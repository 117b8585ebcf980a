'use client'

import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { type ReactNode, useRef, useState, useSyncExternalStore } from 'react'
import {
  type Connection,
  type Connector,
  createConfig,
  custom,
  useConnect,
  useConnections,
  useConnectors,
  useDisconnect,
  useSignMessage,
  WagmiProvider,
} from 'wagmi'
import { injected } from 'wagmi/connectors/injected'
import { useWords } from '#components/ui/browser/words.tsx'
import type { CustomerWords } from '#lib/words/labels/customer-labels.ts'
import type { Signer } from './signing.tsx'
import { readWalletFailure, type WalletFailure } from './wallet-failure.tsx'

/** Only the pages that speak to a wallet use this: signing in and signing up. */
export function WalletProvider({ children }: { readonly children: ReactNode }) {
  const [config] = useState(newWalletConfig)
  const [queries] = useState(() => new QueryClient())
  return (
    <WagmiProvider config={config} reconnectOnMount={false}>
      <QueryClientProvider client={queries}>{children}</QueryClientProvider>
    </WagmiProvider>
  )
}

/**
 * The wallets of this browser are found (EIP-6963). Nothing is stored and no chain is asked, because a wallet only
 * signs.
 */
const newWalletConfig = () =>
  createConfig({
    chains: [anyChain],
    connectors: [injected()],
    multiInjectedProviderDiscovery: true,
    storage: null,
    transports: { [anyChain.id]: custom({ request: refuse }) },
  })

/** wagmi requires a chain; a message has the wallet's own chain. */
const anyChain = {
  id: 1,
  name: 'Ethereum',
  nativeCurrency: { name: 'Ether', symbol: 'ETH', decimals: 18 },
  rpcUrls: { default: { http: [] } },
} as const

async function refuse(): Promise<never> {
  throw new Error('No chain is asked from here')
}

/**
 * The wallets of this browser are null on the server and during hydration. The generic wallet, which does not
 * announce itself, is listed only when no other wallet is found.
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

/** The wallet gives itself this name; one that does not announce itself has none. */
export const walletName = (words: CustomerWords, { id, name }: Pick<Connector, 'id' | 'name'>) =>
  id === 'injected' ? words('signIn.browserWallet') : name

const never = () => () => {}

/**
 * The chosen wallet is a signer and follows the account and chain that are selected in it. A wallet may connect by
 * itself, but signs nothing unless it was chosen here.
 */
export function useWalletSigner() {
  const connections = useConnections()
  const { connectAsync } = useConnect()
  const { disconnectAsync } = useDisconnect()
  const { signMessageAsync } = useSignMessage()
  const words = useWords()
  const [connecting, setConnecting] = useState<string | null>(null)
  /** The number names the present question. A wallet may answer an earlier or a cancelled one later; that answer is ignored. */
  const question = useRef(0)
  const [failure, setFailure] = useState<WalletFailure | null>(null)
  // After signing up, the wallet that gave the address is still connected and stays chosen.
  const [chosen, setChosen] = useState(() => {
    const [connected] = connections
    return connected ? choiceOf(connected.connector, connected) : null
  })
  /** The page waits for the first of these wallets, and the second is chosen. A late answer takes neither away. */
  const wanted = useRef<readonly [asked: string | null, chosen: string | null]>([null, chosen?.uid ?? null])

  // A wallet may refuse to take its permission back; this page forgets it all the same.
  const forget = (wallet: Connector) => disconnectAsync({ connector: wallet }).catch(() => {})
  const waitFor = (uid: string | null) => {
    question.current++
    wanted.current = [uid, wanted.current[1]]
    setConnecting(uid)
  }
  const choose = (choice: typeof chosen) => {
    wanted.current = [wanted.current[0], choice?.uid ?? null]
    setChosen(choice)
  }
  const connect = async (wallet: Connector) => {
    waitFor(wallet.uid)
    const mine = question.current
    const isMine = () => question.current === mine
    setFailure(null)
    if (connections.some(({ connector }) => connector.uid === wallet.uid)) await forget(wallet)
    const since = Date.now()
    try {
      const connected = await connectAsync({ connector: wallet })
      if (!isMine()) return wanted.current.includes(wallet.uid) ? undefined : void forget(wallet)
      if (connected.accounts.length === 0) setFailure('no-account')
      choose(choiceOf(wallet, connected))
    } catch (error) {
      if (!isMine()) return
      setFailure(readWalletFailure(error, Date.now() - since))
    }
    waitFor(null)
  }
  const connection = connections.find(({ connector }) => connector.uid === chosen?.uid)
  const signer = connection ? signerOf(words, connection, signMessageAsync) : null
  const disconnect = async () => {
    choose(null)
    setFailure(null)
    if (connection) await forget(connection.connector)
  }
  const moved = signer !== null && chosen?.first !== accountOf(signer.address, signer.chainId)
  return { signer, connect, connecting, cancel: () => waitFor(null), failure, disconnect, moved }
}

/** The choice holds the wallet, and the account and chain that it had then. */
const choiceOf = (
  { uid }: Connector,
  { accounts, chainId }: { readonly accounts: readonly string[]; readonly chainId: number },
) => ({ uid, first: accountOf(accounts[0], chainId) })

const accountOf = (address: string | undefined, chainId: number) => `${address} ${chainId}`

function signerOf(
  words: CustomerWords,
  { accounts: [address], chainId, connector }: Connection,
  sign: (request: { account: `0x${string}`; connector: Connector; message: string }) => Promise<string>,
): Signer {
  return {
    kind: 'wallet',
    name: walletName(words, connector),
    address,
    chainId,
    sign: (message) => sign({ account: address, connector, message }),
  }
}
