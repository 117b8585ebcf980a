'use client'

import { useState } from 'react'
import { Button, type ButtonVariant } from '#components/ui/button.tsx'
import { signWithPasskey } from '#components/ui/form/ask-passkey.ts'
import { callAction } from '#components/ui/form/call-action.ts'
import { RefusalCallout, type RefusalText, refusalOf } from '#components/ui/form/refusal-callout.tsx'
import { signInMessages } from '#lib/identity/labels/sign-in-messages.ts'
import type { SignatureOptions } from '#lib/identity/passkeys/verify-passkey.ts'
import type { Action } from '#lib/platform/forms/action-state.ts'
import { submitCredentials } from './sign-in-result.ts'

/** A person signs in with any passkey that the device has for this dashboard, without typing a name. */
export function PasskeySignIn({
  begin,
  onSignedIn,
  label = 'Sign in with a passkey',
  variant = 'secondary',
  autoFocus = false,
}: {
  readonly begin: Action<SignatureOptions>
  readonly onSignedIn: () => void
  readonly label?: string
  readonly variant?: ButtonVariant
  readonly autoFocus?: boolean
}) {
  const [asking, setAsking] = useState(false)
  const [refusal, setRefusal] = useState<RefusalText | null>(null)
  const signIn = async () => {
    setAsking(true)
    setRefusal(await attempt(begin, onSignedIn))
    setAsking(false)
  }
  return (
    <div className="grid gap-3">
      <Button variant={variant} autoFocus={autoFocus} pending={asking} onClick={signIn}>
        {asking ? 'Waiting for your device…' : label}
      </Button>
      {refusal && <RefusalCallout refusal={refusal} />}
    </div>
  )
}

/** The result is the message when nobody was signed in. */
async function attempt(begin: Action<SignatureOptions>, onSignedIn: () => void): Promise<RefusalText | null> {
  const asked = await callAction(signWithPasskey(begin), {})
  if (asked.kind !== 'done') return refusalOf(asked) ?? signInMessages['went-wrong']
  const result = await submitCredentials('passkey', { answer: asked.value })
  if (typeof result === 'object') return result
  if (result !== 'signed-in') return signInMessages[result]
  onSignedIn()
  return null
}
