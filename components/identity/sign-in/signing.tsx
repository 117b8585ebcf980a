'use client'

import { useQuery } from '@tanstack/react-query'
import { clsx } from 'clsx'
import { Check, Circle, LoaderCircle } from 'lucide-react'
import { useEffect, useEffectEvent, useRef, useState } from 'react'
import { useWords } from '#components/ui/browser/words.tsx'
import { callAction } from '#components/ui/form/call-action.ts'
import { type RefusalText, refusalOf } from '#components/ui/form/refusal-callout.tsx'
import type { IssuedChallenge } from '#lib/identity/sign-in/sign-in-with-wallet.ts'
import type { Action } from '#lib/platform/forms/action-state.ts'
import { submitCredentials, useRefusalWords } from './sign-in-result.ts'
import { needsCode, readWalletFailure, useWalletFailureWords } from './wallet-failure.tsx'

/** A signer is a wallet of this browser, or the sandbox's throw-away key. */
export interface Signer {
  readonly kind: 'wallet' | 'throw-away'
  /** The wallet gives itself this name. */
  readonly name: string
  readonly address: string
  readonly chainId: number
  /** `sign` signs the exact text (personal-sign style, §5.2) and throws what the wallet throws. */
  readonly sign: (message: string) => Promise<string>
}

/**
 * The message is for this address and chain; a used one is replaced. It is made before anybody is asked to sign it,
 * because a phone opens a wallet only directly from a tap.
 */
export function useChallenge(
  action: Action<IssuedChallenge>,
  { address, chainId }: Signer,
  of: 'signIn' | 'signUp',
) {
  const words = useWords()
  const { data, isFetching, refetch } = useQuery({
    queryKey: ['challenge', address, chainId],
    queryFn: () => callAction(action, { address, chainId }),
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
    retry: false,
    refetchOnReconnect: false,
  })
  const unreadable = { title: words(`${of}.noMessage`), next: words(`${of}.noMessageNext`) }
  const refused = data ? (refusalOf(data) ?? (data.kind === 'invalid' ? unreadable : null)) : null
  return {
    issued: data?.kind === 'done' && !isFetching ? data.value : null,
    refusal: isFetching ? null : refused,
    pending: isFetching,
    renew: () => void refetch(),
  }
}

/** Nobody is signed in yet, for this reason. */
type SignInProblem = RefusalText & {
  readonly neutral: boolean
  readonly offerCode: boolean
}

interface SignatureRequest {
  /** The signer signs this message; null while there is none. */
  readonly issued: IssuedChallenge | null
  readonly pending: boolean
  readonly step: SignStep
  /** `stopped`: the signer was asked before and did not sign. */
  readonly stopped: boolean
  readonly problem: SignInProblem | null
  /** `proceed` has the message signed and sends it to the server. Without a message it asks for one. */
  readonly proceed: () => void
}

/** The hook signs in with one account: it gets a message, has it signed, and gives the signature to the server. */
export function useSignature(
  signer: Signer,
  issueChallenge: Action<IssuedChallenge>,
  onSignedIn: () => void,
): SignatureRequest {
  const { issued, refusal, pending, renew } = useChallenge(issueChallenge, signer, 'signIn')
  const [step, setStep] = useState<SignStep>('ready')
  const [stop, setStop] = useState<SignInProblem | null>(null)
  const isMounted = useIsMounted()
  const refusalWords = useRefusalWords()
  const failureWords = useWalletFailureWords()

  const sign = async ({ message }: IssuedChallenge) => {
    setStop(null)
    setStep('signing')
    const asked = Date.now()
    const signature = await signer.sign(message).catch((error: unknown) => {
      const failure = readWalletFailure(error, Date.now() - asked)
      setStop({
        ...failureWords(failure),
        neutral: failure === 'declined' || failure === 'busy',
        offerCode: needsCode.has(failure),
      })
      return null
    })
    // Another account was chosen meanwhile, so this signature is not sent.
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
    const why = typeof result === 'object' ? result : refusalWords(result)
    setStop({ ...why, neutral: false, offerCode: true })
    renew()
  }

  const signAtOnce = useEffectEvent(() => {
    if (signer.kind === 'throw-away' && issued && step === 'ready' && !stop) void sign(issued)
  })
  const message = issued?.message
  useEffect(() => {
    if (message) signAtOnce()
  }, [message])

  return {
    issued,
    pending,
    step,
    stopped: stop !== null,
    problem: refusal ? { ...refusal, neutral: false, offerCode: true } : stop,
    proceed: () => (issued ? void sign(issued) : renew()),
  }
}

/** Signing in goes through these steps. */
type SignStep = 'ready' | 'signing' | 'checking' | 'signed-in'

/** Each step is shown as it happens. */
export function SignSteps({
  step,
  signer,
}: {
  readonly step: Exclude<SignStep, 'ready'>
  readonly signer: Signer
}) {
  const at = order.indexOf(step)
  const words = useWords()
  const lines = [
    at > 0
      ? words('signIn.signed')
      : signer.kind === 'wallet'
        ? words('signIn.waitingFor', { wallet: signer.name })
        : words('signIn.signing'),
    words(at > 1 ? 'signIn.accepted' : 'signIn.checkingSignature'),
    words('signIn.openingPage'),
  ]
  return (
    <ol aria-live="polite" className="grid gap-2 rounded-panel border px-3.5 py-3 text-sm">
      {lines.map((text, index) => {
        const Icon = index < at ? Check : index === at ? LoaderCircle : Circle
        return (
          <li key={order[index]} className={clsx('flex items-center gap-2.5', index > at && 'text-faint')}>
            <Icon
              aria-hidden
              className={clsx('size-4', index < at && 'text-done', index === at && 'animate-spin text-muted')}
            />
            {text}
          </li>
        )
      })}
    </ol>
  )
}

const order = ['signing', 'checking', 'signed-in'] as const

/** The value is false once this panel has gone, for example for another account. */
export function useIsMounted() {
  const isMounted = useRef(true)
  useEffect(() => {
    isMounted.current = true
    return () => {
      isMounted.current = false
    }
  }, [])
  return isMounted
}
