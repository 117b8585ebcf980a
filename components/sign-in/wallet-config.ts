import { createConfig, custom } from 'wagmi'
import { injected } from 'wagmi/connectors/injected'

/** Finds the wallets of this browser (EIP-6963). Nothing is kept, and no chain is ever asked: a wallet only signs. */
export const newWalletConfig = () =>
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
