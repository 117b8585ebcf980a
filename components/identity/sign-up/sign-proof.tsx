'use client'

import { useState } from 'react'
import { useWords } from '#components/ui/browser/words.tsx'
import { Button } from '#components/ui/button.tsx'
import type { IssuedChallenge } from '#lib/identity/sign-in/issue-challenge.ts'
import type { WalletProof } from '#lib/identity/sign-in/prove-wallet.ts'
import type { Action } from '#lib/platform/forms/action-state.ts'
import { shortId } from '#lib/words/labels/short-id.ts'
import type { Signer } from '../sign-in/signer.ts'
import { useChallenge } from '../sign-in/use-challenge.ts'
import { useIsMounted } from '../sign-in/use-is-mounted.ts'
import { useWalletFailureWords } from '../sign-in/use-wallet-failure-words.ts'
import { readWalletFailure, type WalletFailure } from '../sign-in/wallet-failure.ts'
import { WalletProblem } from '../sign-in/wallet-problem.tsx'

/** Has a wallet that was chosen sign a message for the new account, and the way to another wallet. */
export function SignProof({
  signer,
  issueSignUpChallenge,
  onSigned,
  onLeave,
}: {
  readonly signer: Signer
  readonly issueSignUpChallenge: Action<IssuedChallenge>
  readonly onSigned: (proof: WalletProof) => void
  readonly onLeave: () => void
}) {
  const words = useWords()
  const failureWords = useWalletFailureWords()
  const { issued, refusal, pending, renew } = useChallenge(issueSignUpChallenge, signer, 'signUp')
  const [signing, setSigning] = useState(false)
  const [failure, setFailure] = useState<WalletFailure | null>(null)
  const isMounted = useIsMounted()
  const sign = async ({ message }: IssuedChallenge) => {
    setFailure(null)
    setSigning(true)
    const asked = Date.now()
    try {
      const signature = await signer.sign(message)
      if (isMounted.current) onSigned({ message, signature })
    } catch (error) {
      setFailure(readWalletFailure(error, Date.now() - asked))
    } finally {
      setSigning(false)
    }
  }
  const label = signing
    ? words('signUp.signInWallet')
    : pending
      ? words('signIn.makingMessage')
      : issued
        ? words('signUp.signWith', { address: shortId(signer.address) })
        : words('signIn.tryAgain')
  return (
    <>
      <div className="flex flex-wrap items-center gap-2">
        <Button
          size="sm"
          variant="primary"
          pending={pending || signing}
          onClick={() => (issued ? void sign(issued) : renew())}
        >
          {label}
        </Button>
        <Button size="sm" variant="ghost" onClick={onLeave}>
          {words('signUp.anotherWallet')}
        </Button>
      </div>
      {refusal && <WalletProblem message={refusal} />}
      {failure && <WalletProblem message={failureWords(failure)} neutral={failure === 'declined'} />}
    </>
  )
}
