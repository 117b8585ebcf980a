'use client'

import { Check } from 'lucide-react'
import { useId, useState } from 'react'
import { useWords } from '#components/ui/browser/words.tsx'
import { Button } from '#components/ui/button.tsx'
import { FieldError } from '#components/ui/field.tsx'
import type { IssuedChallenge, WalletProof } from '#lib/identity/sign-in/sign-in-with-wallet.ts'
import type { Action } from '#lib/platform/forms/action-state.ts'
import { shortId } from '#lib/words/labels/formats.ts'
import { type Signer, useChallenge, useIsMounted } from '../sign-in/signing.tsx'
import { OpenInWalletApp } from '../sign-in/wallet-app-links.tsx'
import { useWalletConnect, WalletConnectPanel } from '../sign-in/wallet-connect-panel.tsx'
import {
  readWalletFailure,
  useWalletFailureWords,
  type WalletFailure,
  WalletProblem,
} from '../sign-in/wallet-failure.tsx'
import { useWalletSigner, useWallets, walletName } from '../sign-in/wallets.tsx'

interface Proven {
  readonly address: string
  readonly wallet: string
  readonly proof: WalletProof
}

/**
 * The new account gets a wallet under the name `wallet`. A signature proves that it belongs to the person who signs
 * up; a known address alone is not enough.
 */
export function WalletProofField({
  issueSignUpChallenge,
  merchant,
  walletConnectProjectId,
  error,
}: {
  readonly issueSignUpChallenge: Action<IssuedChallenge>
  readonly merchant: string
  /** The id is null when WalletConnect is not set up. */
  readonly walletConnectProjectId: string | null
  readonly error: string | undefined
}) {
  const wallets = useWallets()
  const words = useWords()
  const failureWords = useWalletFailureWords()
  const title = useId()
  const injected = useWalletSigner()
  const walletConnect = useWalletConnect(walletConnectProjectId, merchant)
  const [proven, setProven] = useState<Proven | null>(null)
  const signer = walletConnect.signer ?? injected.signer
  const pairing = walletConnect.state === 'loading' || walletConnect.state === 'waiting'
  const chosen = proven !== null || signer !== null || pairing
  const failure = injected.failure ?? walletConnect.failure
  const leave = () => {
    setProven(null)
    if (walletConnect.signer) walletConnect.leave()
    else void injected.disconnect()
  }
  const keep = ({ address, name }: Signer, proof: WalletProof) => {
    walletConnect.end()
    setProven({ address, wallet: name, proof })
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
        <SignProof
          key={`${signer.address} ${signer.chainId}`}
          signer={signer}
          issueSignUpChallenge={issueSignUpChallenge}
          onSigned={(proof) => keep(signer, proof)}
          onLeave={leave}
        />
      ) : pairing ? (
        <WalletConnectPanel wallet={walletConnect} />
      ) : (
        <div className="flex flex-wrap items-center gap-2">
          {wallets?.map((wallet) => (
            <Button
              key={wallet.uid}
              size="sm"
              pending={injected.connecting === wallet.uid}
              onClick={() => injected.connect(wallet)}
            >
              {words('signUp.use', { wallet: walletName(words, wallet) })}
            </Button>
          ))}
          {walletConnect.offered && (
            <Button
              size="sm"
              onClick={() => {
                injected.cancel()
                walletConnect.open()
              }}
            >
              {words('signUp.use', { wallet: 'WalletConnect' })}
            </Button>
          )}
          {injected.connecting !== null && (
            <Button size="sm" variant="ghost" onClick={injected.cancel}>
              {words('form.cancel')}
            </Button>
          )}
        </div>
      )}
      {!chosen && (wallets === null || wallets.length === 0) ? (
        <OpenInWalletApp advice="signUp.noWallet" />
      ) : (
        <p className="text-muted text-sm">{words('signUp.walletHint')}</p>
      )}
      {failure && <WalletProblem message={failureWords(failure)} neutral={failure === 'declined'} />}
      {error && <FieldError>{error}</FieldError>}
    </fieldset>
  )
}

/** The chosen wallet signs a message for the new account. The panel also leads to another wallet. */
function SignProof({
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
