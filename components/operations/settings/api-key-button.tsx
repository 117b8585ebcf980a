'use client'

import { useRouter } from 'next/navigation'
import { TextField } from '#components/ui/field.tsx'
import { ConfirmedActionButton } from '#components/ui/form/confirmed-action-button.tsx'
import type { Action } from '#lib/platform/forms/action-state.ts'

/** The new API key is used at once. */
export function ApiKeyButton({ change }: { readonly change: Action<{ readonly fingerprint: string }> }) {
  const router = useRouter()
  return (
    <ConfirmedActionButton
      label="Replace the API key"
      title="Replace the API key?"
      description="The service is asked first whether it takes the key. From then on every call carries it, without a restart. It is kept sealed, and is shown to nobody."
      action={change}
      afterFreshSignIn
      fields={{}}
      done="The service is called with the new key from now on."
      onDone={() => router.refresh()}
    >
      {(errorOf) => (
        <TextField
          label="API key"
          name="apiKey"
          type="password"
          autoComplete="off"
          mono
          required
          error={errorOf('apiKey')}
        />
      )}
    </ConfirmedActionButton>
  )
}
