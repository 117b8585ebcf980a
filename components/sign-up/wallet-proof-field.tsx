'use client'

import { Check } from 'lucide-react'
import { useId, useState } from 'react'
import type { Action } from '#lib/forms/action-state.ts'
import { shortId } from '#lib/labels/short-id.ts'
import type { IssuedChallenge } from '#lib/sign-in/issue-challenge.ts'
import type { WalletProof } from '#lib/sign-in/prove-wallet.ts'
import { useWords } from '../browser/words.tsx'
import type { RefusalText } from '../form/refusal-callout.tsx'
import { useNotSent } from '../form/use-not-sent.ts'
import { OpenInWalletApp } from '../sign-in/open-in-wallet-app.tsx'
import { signWalletProof } from '../sign-in/sign-wallet-proof.ts'
import { useWalletFailureWords } from '../sign-in/use-wallet-failure-words.ts'
import { useWalletSigner } from '../sign-in/use-wallet-signer.ts'
import { useWallets, walletName } from '../sign-in/use-wallets.ts'
import { readWalletFailure } from '../sign-in/wallet-failure.ts'
import { WalletProblem } from '../sign-in/wallet-problem.tsx'
import { Button } from '../ui/button.tsx'
import { FieldError } from '../ui/field.tsx'

interface Proven {
  readonly address: string
  readonly wallet: string
  readonly proof: WalletProof
}

/**
 * A wallet for the new account, which shows by a signature that it belongs to whoever signs up; under the name `wallet`.
 * An address that somebody only knows cannot be given.
 */
export function WalletProofField({
  issueSignUpChallenge,
  error,
}: {
  readonly issueSignUpChallenge: Action<IssuedChallenge>
  readonly error: string | undefined
}) {
  const wallets = useWallets()
  const words = useWords()
  const failureWords = useWalletFailureWords()
  const title = useId()
  const { signer, connect, connecting, failure, disconnect } = useWalletSigner()
  const { proven, signing, problem, prove, forget } = useProof(issueSignUpChallenge)
  const leave = () => {
    forget()
    void disconnect()
  }
  return (
    <fieldset aria-labelledby={title} className="grid gap-2 rounded-panel border p-3.5">
      <div className="flex items-baseline justify-between gap-3 text-sm">
        <span id={title} className="font-label">
          {words('signUp.wallet')}
        </span>
        <span className="text-faint text-xs">{words('signUp.optional')}</span>
      </div>
      {proven && <input type="hidden" name="wallet" value={JSON.stringify(proven.proof)} />}
      {proven ? (
        <p className="flex flex-wrap items-center gap-x-3 gap-y-1 text-table" role="status">
          <Check className="size-4 text-done" aria-hidden />
          <span>
            <span className="mono font-strong" title={proven.address}>
              {shortId(proven.address)}
            </span>{' '}
            <span className="text-muted">{words('signUp.signedIn', { wallet: proven.wallet })}</span>
          </span>
          <Button size="sm" variant="ghost" className="-ml-2.5" onClick={leave}>
            {words('signUp.leaveOut')}
          </Button>
        </p>
      ) : signer ? (
        <div className="flex flex-wrap items-center gap-2">
          <Button size="sm" variant="primary" pending={signing} onClick={() => prove(signer)}>
            {signing
              ? words('signUp.signInWallet')
              : words('signUp.signWith', { address: shortId(signer.address) })}
          </Button>
          <Button size="sm" variant="ghost" disabled={signing} onClick={leave}>
            {words('signUp.anotherWallet')}
          </Button>
        </div>
      ) : (
        <div className="flex flex-wrap items-center gap-2">
          {wallets?.map((wallet) => (
            <Button
              key={wallet.uid}
              size="sm"
              pending={connecting === wallet.uid}
              disabled={connecting !== null}
              onClick={() => connect(wallet)}
            >
              {words('signUp.use', { wallet: walletName(words, wallet) })}
            </Button>
          ))}
        </div>
      )}
      {wallets === null || wallets.length === 0 ? (
        <OpenInWalletApp of="signUp" />
      ) : (
        <p className="text-muted text-sm">{words('signUp.walletHint')}</p>
      )}
      {failure && <WalletProblem message={failureWords(failure)} neutral={failure === 'declined'} />}
      {problem && <WalletProblem message={problem} neutral={problem.neutral} />}
      {error && <FieldError>{error}</FieldError>}
    </fieldset>
  )
}

function useProof(issueSignUpChallenge: Action<IssuedChallenge>) {
  const words = useWords()
  const failureWords = useWalletFailureWords()
  const notSent = useNotSent()
  const [proven, setProven] = useState<Proven | null>(null)
  const [signing, setSigning] = useState(false)
  const [problem, setProblem] = useState<(RefusalText & { readonly neutral: boolean }) | null>(null)
  const prove = async (signer: Parameters<typeof signWalletProof>[0]) => {
    setProblem(null)
    setSigning(true)
    const asked = Date.now()
    try {
      const proof = await signWalletProof(signer, issueSignUpChallenge, notSent)
      if (proof.kind === 'done') {
        setProven({ address: signer.address, wallet: signer.name, proof: proof.value })
      } else {
        setProblem({
          ...(proof.kind === 'refused'
            ? proof
            : { title: words('signUp.noMessage'), next: words('signUp.noMessageNext') }),
          neutral: false,
        })
      }
    } catch (error) {
      const failure = readWalletFailure(error, Date.now() - asked)
      setProblem({ ...failureWords(failure), neutral: failure === 'declined' })
    } finally {
      setSigning(false)
    }
  }
  return { proven, signing, problem, prove, forget: () => setProven(null) }
}
