import { generatePrivateKey, type PrivateKeyAccount, privateKeyToAccount } from 'viem/accounts'
import { issueSignUpChallenge, type WalletProof } from '#lib/identity/sign-in/sign-in-with-wallet.ts'
import type { ActionContext } from '../lib/access/caller.ts'

/** Nobody had this wallet before. */
export const newWallet = (): PrivateKeyAccount => privateKeyToAccount(generatePrivateKey())

/** A sign-up in this browser gets this proof of the wallet. Another key signs it when one is given. */
export async function proveInBrowser(
  wallet: PrivateKeyAccount,
  browser: ActionContext,
  signer: PrivateKeyAccount = wallet,
): Promise<WalletProof> {
  const { message } = await issueSignUpChallenge({ address: wallet.address, chainId: 1 }, browser)
  return { message, signature: await signer.signMessage({ message }) }
}
