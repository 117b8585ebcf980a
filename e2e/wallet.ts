import type { Page } from '@playwright/test'
import {
  type Hex,
  type PrivateKeyAccount,
  parseSignature,
  serializeCompactSignature,
  signatureToCompactSignature,
} from 'viem'
import { privateKeyToAccount } from 'viem/accounts'

/** The injected wallet behaves like this when it is asked to connect or to sign. */
export type Behaviour =
  | 'signs'
  | 'signs in 64 bytes'
  | 'declines'
  | 'signs as a smart account'
  /** The wallet answers neither request until `answerAtLast`. */
  | 'keeps silent'

/**
 * The function announces a wallet through EIP-6963 in every page of this tab. Its key signs for real, outside the browser.
 * Call it before the first `goto`.
 */
export async function injectWallet(
  page: Page,
  privateKey: Hex,
  behaviour: Behaviour = 'signs',
  name = 'Test Wallet',
): Promise<PrivateKeyAccount> {
  const account = privateKeyToAccount(privateKey)
  await page.exposeFunction(`signWith ${name}`, async (message: Hex) => {
    const signature = await account.signMessage({ message: { raw: message } })
    if (behaviour === 'signs in 64 bytes')
      return serializeCompactSignature(signatureToCompactSignature(parseSignature(signature)))
    // ERC-6492 ends the signature of an account that is not deployed yet with these bytes.
    return behaviour === 'signs as a smart account' ? `${signature}${'6492'.repeat(16)}` : signature
  })
  await page.addInitScript(announce, { address: account.address, name, behaviour })
  return account
}

/** A wallet that kept silent answers all its requests in this page. */
export const answerAtLast = (page: Page, name: string) =>
  page.evaluate(async (wallet) => {
    const answer: () => Promise<void> = Reflect.get(window, `answer of ${wallet}`)
    await answer()
  }, name)

/** The function runs in the browser. */
function announce({ address, name, behaviour }: { address: string; name: string; behaviour: Behaviour }) {
  const sign: (message: string) => Promise<string> = Reflect.get(window, `signWith ${name}`)
  const declines = behaviour === 'declines'
  const silence = Promise.withResolvers<void>()
  if (behaviour !== 'keeps silent') silence.resolve()
  Reflect.set(window, `answer of ${name}`, async () => {
    silence.resolve()
    // The page reacts after it has asked the wallet for the chain and disconnected.
    await new Promise((resolve) => setTimeout(resolve, 300))
  })
  const asks = ['eth_requestAccounts', 'wallet_requestPermissions', 'personal_sign']
  const provider = {
    async request({ method, params }: { method: string; params?: string[] }) {
      if (asks.includes(method)) await silence.promise
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
    uuid: crypto.randomUUID(),
    name,
    rdns: `test.rampart.${name.toLowerCase().replaceAll(' ', '-')}`,
    icon: 'data:image/svg+xml,<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 8 8"><path d="M0 0h8v8H0z"/></svg>',
  }
  const detail = Object.freeze({ info, provider })
  const speak = () => window.dispatchEvent(new CustomEvent('eip6963:announceProvider', { detail }))
  window.addEventListener('eip6963:requestProvider', speak)
  speak()
}
