import type { Page } from '@playwright/test'
import type { Hex, PrivateKeyAccount } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'

/** What the injected wallet does when it is asked to sign. */
export type Behaviour = 'signs' | 'declines' | 'signs as a smart account'

/**
 * Announces a wallet through EIP-6963 in every page of this tab; its key signs for real, outside the browser.
 * Call it before the first `goto`.
 */
export async function injectWallet(
  page: Page,
  privateKey: Hex,
  behaviour: Behaviour = 'signs',
): Promise<PrivateKeyAccount> {
  const account = privateKeyToAccount(privateKey)
  await page.exposeFunction('signWithTestWallet', async (message: Hex) => {
    const signature = await account.signMessage({ message: { raw: message } })
    // As ERC-6492 ends what an account signs that is not deployed yet.
    return behaviour === 'signs as a smart account' ? `${signature}${'6492'.repeat(16)}` : signature
  })
  await page.addInitScript(announce, { address: account.address, declines: behaviour === 'declines' })
  return account
}

/** Runs in the browser. */
function announce({ address, declines }: { address: string; declines: boolean }) {
  const sign: (message: string) => Promise<string> = Reflect.get(window, 'signWithTestWallet')
  const provider = {
    async request({ method, params }: { method: string; params?: string[] }) {
      if (method === 'eth_requestAccounts' || method === 'eth_accounts') return [address]
      if (method === 'eth_chainId') return '0x1'
      if (method === 'wallet_requestPermissions' || method === 'wallet_revokePermissions') return []
      if (method !== 'personal_sign')
        throw Object.assign(new Error(`${method} is not supported`), { code: 4200 })
      // A person takes a moment to decline; a wallet that blocks does not.
      await new Promise((resolve) => setTimeout(resolve, declines ? 1_200 : 0))
      if (declines) throw Object.assign(new Error('User rejected the request.'), { code: 4001 })
      return sign(params?.[0] ?? '')
    },
    on() {},
    removeListener() {},
  }
  const info = {
    uuid: '6a1f6c0e-3f55-4b4e-9f0f-3f3c3b1c2d10',
    name: 'Test Wallet',
    rdns: 'test.rampart.wallet',
    icon: 'data:image/svg+xml,<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 8 8"><path d="M0 0h8v8H0z"/></svg>',
  }
  const detail = Object.freeze({ info, provider })
  const speak = () => window.dispatchEvent(new CustomEvent('eip6963:announceProvider', { detail }))
  window.addEventListener('eip6963:requestProvider', speak)
  speak()
}
