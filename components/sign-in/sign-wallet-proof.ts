import type { Action, ActionState } from '#lib/forms/action-state.ts'
import type { IssuedChallenge } from '#lib/sign-in/issue-challenge.ts'
import type { WalletProof } from '#lib/sign-in/prove-wallet.ts'
import { callAction } from '../form/call-action.ts'
import type { Signer } from './signer.ts'

/** Has a message for a new account made and signed. Throws what the wallet throws. */
export async function signWalletProof(
  { address, chainId, sign }: Signer,
  issueSignUpChallenge: Action<IssuedChallenge>,
  notSent: { readonly title: string; readonly next: string },
): Promise<ActionState<WalletProof>> {
  const issued = await callAction(issueSignUpChallenge, { address, chainId }, notSent)
  if (issued.kind !== 'done') return issued
  const { message } = issued.value
  return { kind: 'done', value: { message, signature: await sign(message) } }
}
