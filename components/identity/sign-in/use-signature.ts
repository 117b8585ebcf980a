'use client'

import { useEffect, useEffectEvent, useState } from 'react'
import type { RefusalText } from '#components/ui/form/refusal-callout.tsx'
import type { IssuedChallenge } from '#lib/identity/sign-in/issue-challenge.ts'
import type { Action } from '#lib/platform/forms/action-state.ts'
import type { SignStep } from './sign-steps.tsx'
import type { Signer } from './signer.ts'
import { submitCredentials } from './submit-credentials.ts'
import { useChallenge } from './use-challenge.ts'
import { useIsMounted } from './use-is-mounted.ts'
import { useRefusalWords } from './use-refusal-words.ts'
import { useWalletFailureWords } from './use-wallet-failure-words.ts'
import { needsCode, readWalletFailure } from './wallet-failure.ts'

/** Why nobody is signed in yet. */
export type SignInProblem = RefusalText & {
  readonly neutral: boolean
  readonly offerCode: boolean
}

export interface SignatureRequest {
  /** What is to be signed; null while there is no message. */
  readonly issued: IssuedChallenge | null
  readonly pending: boolean
  readonly step: SignStep
  /** Whether the signer was asked already, in vain. */
  readonly stopped: boolean
  readonly problem: SignInProblem | null
  /** Has the message signed and sent to the server; without a message, asks for one. */
  readonly proceed: () => void
}

/** Signing in with one account: gets a message, has it signed, hands the signature to the server. */
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
