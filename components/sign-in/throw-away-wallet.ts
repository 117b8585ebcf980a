import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import type { Signer } from './signer.ts'
import { keepThrowAwayKey, readThrowAwayKey } from './throw-away-key.ts'

/** The sandbox's wallet: a key made in this browser and kept in it, so that the same person returns. Load it on demand. */
export function openThrowAwayWallet(): Signer {
  const key = readThrowAwayKey()?.key ?? generatePrivateKey()
  const account = privateKeyToAccount(key)
  keepThrowAwayKey({ key, address: account.address })
  return {
    kind: 'throw-away',
    name: 'Throw-away wallet',
    address: account.address,
    chainId: 1,
    sign: (message) => account.signMessage({ message }),
  }
}
