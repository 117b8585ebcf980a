'use client'

import { useState } from 'react'
import { type SignInResult, submitCredentials } from './submit-credentials.ts'
import { useRefusalWords } from './use-refusal-words.ts'

/** Signs in with the code that was sent to this address. */
export function useCheckCode(email: string, onSignedIn: () => void) {
  const [result, setResult] = useState<SignInResult | 'checking' | null>(null)
  const refusalWords = useRefusalWords()
  const check = async (typed: string) => {
    const code = typed.replace(/\s/g, '')
    if (code === '') return
    setResult('checking')
    const outcome = await submitCredentials('code', { email, code })
    setResult(outcome)
    if (outcome === 'signed-in') onSignedIn()
  }
  const checking = result === 'checking'
  const signedIn = result === 'signed-in'
  return {
    check,
    checking,
    signedIn,
    refusal: result === null || checking || signedIn ? null : refusalWords(result),
  }
}
