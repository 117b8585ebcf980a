'use client'

import { useState } from 'react'
import { type SignInResult, submitCredentials } from './submit-credentials.ts'
import type { SentCode } from './use-code-request.ts'

/** Signs in with the code that was sent to this address. What was wrong with one code is forgotten when another is sent. */
export function useCheckCode({ email, count }: SentCode, onSignedIn: () => void) {
  const [checked, setChecked] = useState<{ result: SignInResult | 'checking'; of: number } | null>(null)
  const check = async (typed: string): Promise<SignInResult | null> => {
    const code = typed.trim()
    if (code === '') return null
    setChecked({ result: 'checking', of: count })
    const result = await submitCredentials('code', { email, code })
    setChecked({ result, of: count })
    if (result === 'signed-in') onSignedIn()
    return result
  }
  const result = checked?.result ?? null
  const checking = result === 'checking'
  const signedIn = result === 'signed-in'
  return {
    check,
    checking,
    signedIn,
    refusal: result === null || checking || signedIn || checked?.of !== count ? null : result,
    /** Something else is typed: what was wrong is being mended. */
    forget: () => setChecked((before) => (before?.result === 'checking' ? before : null)),
  }
}
