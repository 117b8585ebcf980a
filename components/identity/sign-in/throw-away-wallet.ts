import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import type { Signer } from './signing.tsx'

export type PrivateKey = `0x${string}`

/** The sandbox's wallet is a key of this browser, made when there is none. Load it on demand, because viem is large. */
export function openThrowAwayWallet(known: PrivateKey | null): {
  readonly key: PrivateKey
  readonly signer: Signer
} {
  const key = known ?? generatePrivateKey()
  const account = privateKeyToAccount(key)
  return {
    key,
    signer: {
      kind: 'throw-away',
      name: 'Throw-away wallet',
      address: account.address,
      chainId: 1,
      sign: (message) => account.signMessage({ message }),
    },
  }
}
