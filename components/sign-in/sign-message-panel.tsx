'use client'

import { useQuery } from '@tanstack/react-query'
import { ChevronDown, Eye } from 'lucide-react'
import { useEffect, useEffectEvent, useRef, useState } from 'react'
import type { Action } from '#lib/forms/action-state.ts'
import { shortId } from '#lib/labels/short-id.ts'
import { signInMessages } from '#lib/labels/sign-in-messages.ts'
import type { IssuedChallenge } from '#lib/sign-in/issue-challenge.ts'
import { callAction } from '../form/call-action.ts'
import { Button } from '../ui/button.tsx'
import { Callout } from '../ui/callout.tsx'
import { Skeleton } from '../ui/skeleton.tsx'
import { type SignStep, SignSteps } from './sign-steps.tsx'
import type { Signer } from './signer.ts'
import { submitCredentials } from './submit-credentials.ts'
import { readWalletFailure, walletFailureMessages } from './wallet-failure.ts'
import { WalletProblem } from './wallet-problem.tsx'

interface SignInProblem {
  readonly title: string
  readonly next: string
  readonly neutral: boolean
  readonly offerCode: boolean
}

/** Shows who signs, what the wallet will warn of and the message itself, then signs it and hands it to the server. */
export function SignMessagePanel({
  signer,
  moved,
  serviceHost,
  issueChallenge,
  onChange,
  onSignedIn,
  onUseCode,
}: {
  readonly signer: Signer
  /** The account or chain was changed in the wallet after it had been connected. */
  readonly moved: boolean
  readonly serviceHost: string
  readonly issueChallenge: Action<IssuedChallenge>
  readonly onChange: () => void
  readonly onSignedIn: () => void
  readonly onUseCode: () => void
}) {
  const challenge = useChallenge(issueChallenge, signer)
  const [step, setStep] = useState<SignStep>('ready')
  const [stop, setStop] = useState<SignInProblem | null>(null)
  const isMounted = useIsMounted()

  const sign = async ({ message }: IssuedChallenge) => {
    setStop(null)
    setStep('signing')
    const asked = Date.now()
    const signature = await signer.sign(message).catch((error: unknown) => {
      const failure = readWalletFailure(error, Date.now() - asked)
      setStop({
        ...walletFailureMessages[failure],
        neutral: failure === 'declined' || failure === 'busy',
        offerCode: failure === 'blocked' || failure === 'failed',
      })
      return null
    })
    // Another account was chosen meanwhile: whatever this one signed is not sent.
    if (!isMounted.current) return
    if (signature === null) return setStep('ready')
    setStep('checking')
    const result = await submitCredentials('wallet', { message, signature })
    if (!isMounted.current) return
    if (result === 'signed-in') {
      setStep('signed-in')
      return onSignedIn()
    }
    setStep('ready')
    setStop({ ...signInMessages[result], neutral: false, offerCode: true })
    void challenge.renew()
  }

  const issued = challenge.issued
  const signAtOnce = useEffectEvent(() => {
    if (signer.kind === 'throw-away' && issued && step === 'ready' && !stop) void sign(issued)
  })
  const message = issued?.message
  useEffect(() => {
    if (message) signAtOnce()
  }, [message])

  const isWallet = signer.kind === 'wallet'
  return (
    <div className="grid gap-3.5">
      <div className="flex min-h-[46px] items-center gap-3 rounded-row border bg-bg px-3 py-2">
        <p className="min-w-0 flex-1 text-table">
          <span className="text-muted">Signing as </span>
          <span className="mono font-strong" title={signer.address}>
            {shortId(signer.address)}
          </span>
          <span className="block truncate text-faint text-xs">{signer.name}</span>
        </p>
        <Button
          size="sm"
          variant="ghost"
          disabled={step === 'checking' || step === 'signed-in'}
          onClick={onChange}
        >
          Change
        </Button>
      </div>
      {moved && (
        <Callout>The account or network was changed in your wallet, so this is a new message.</Callout>
      )}
      {isWallet && (
        <div
          data-tone="held"
          role="note"
          className="flex gap-2.5 rounded-panel bg-tone-bg px-3.5 py-2.5 text-sm text-tone"
        >
          <Eye className="mt-[3px] size-4" aria-hidden />
          <p>
            Your wallet will warn that this request is for{' '}
            <strong className="wrap-anywhere font-brand">{issued?.host ?? serviceHost}</strong>. That is the
            payment service you sign in to. Go on only if it shows exactly that name.
          </p>
        </div>
      )}
      <details className="group text-sm">
        <summary className="inline-flex items-center gap-1 rounded-sm text-muted hover:text-text">
          See what you sign
          <ChevronDown className="size-3.5 transition-transform group-open:rotate-180" aria-hidden />
        </summary>
        <div className="mt-2 rounded-panel border bg-code p-3">
          {issued ? (
            <pre className="mono whitespace-pre-wrap break-words text-xs leading-relaxed">
              {issued.message}
            </pre>
          ) : (
            <Skeleton className="h-40" />
          )}
        </div>
        <p className="mt-1.5 text-muted text-xs">
          Good for one signature in this browser. It moves no money and allows nobody to.
        </p>
      </details>
      {challenge.refusal ? (
        <WalletProblem message={challenge.refusal} onUseCode={onUseCode} />
      ) : (
        stop && (
          <WalletProblem
            message={stop}
            neutral={stop.neutral}
            onUseCode={stop.offerCode ? onUseCode : null}
          />
        )
      )}
      {step === 'ready' ? (
        <Button
          variant="primary"
          size="lg"
          className="w-full"
          pending={challenge.pending}
          onClick={() => (issued ? sign(issued) : challenge.renew())}
        >
          {challenge.pending
            ? 'Making a message…'
            : issued
              ? stop
                ? 'Sign again'
                : 'Sign message'
              : 'Try again'}
        </Button>
      ) : (
        <SignSteps step={step} signer={signer} />
      )}
    </div>
  )
}

/** The message for this address and chain; another one when this one has been used. */
function useChallenge(action: Action<IssuedChallenge>, { address, chainId }: Signer) {
  const { data, isFetching, refetch } = useQuery({
    queryKey: ['challenge', address, chainId],
    queryFn: () => callAction(action, { address, chainId }),
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
    retry: false,
    refetchOnReconnect: false,
  })
  const refused = data?.kind === 'refused' ? data : data?.kind === 'invalid' ? unreadable : null
  return {
    issued: data?.kind === 'done' && !isFetching ? data.value : null,
    refusal: isFetching ? null : refused,
    pending: isFetching,
    renew: refetch,
  }
}

const unreadable = {
  title: 'No message can be made for this account.',
  next: 'Choose another account or network in your wallet, or use an e-mail code.',
}

/** False once this panel has gone, such as for another account. */
function useIsMounted() {
  const isMounted = useRef(true)
  useEffect(() => {
    isMounted.current = true
    return () => {
      isMounted.current = false
    }
  }, [])
  return isMounted
}
