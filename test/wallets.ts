import { generatePrivateKey, type PrivateKeyAccount, privateKeyToAccount } from 'viem/accounts'
import type { WalletProof } from '#lib/identity/sign-in/prove-wallet.ts'
import type { ActionContext } from '../lib/access/caller.ts'
import { issueSignUpChallenge } from '../lib/identity/sign-in/prove-wallet.ts'

/** A wallet that nobody had before. */
export const newWallet = (): PrivateKeyAccount => privateKeyToAccount(generatePrivateKey())

/** What a sign-up in this browser is given to show whose the wallet is; signed by another key when one is named. */
export async function proveInBrowser(
  wallet: PrivateKeyAccount,
  browser: ActionContext,
  signer: PrivateKeyAccount = wallet,
): Promise<WalletProof> {
  const { message } = await issueSignUpChallenge({ address: wallet.address, chainId: 1 }, browser)
  return { message, signature: await signer.signMessage({ message }) }
}
