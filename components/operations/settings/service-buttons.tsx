'use client'

import { useRouter } from 'next/navigation'
import { TextField } from '#components/ui/field.tsx'
import { ConfirmedActionButton } from '#components/ui/form/confirmed-action-button.tsx'
import { OnceShown } from '#components/ui/form/once-shown.tsx'
import type { Action } from '#lib/platform/forms/action-state.ts'

/** The new API key is used at once. */
export function ApiKeyButton({ change }: { readonly change: Action<{ readonly fingerprint: string }> }) {
  const router = useRouter()
  return (
    <ConfirmedActionButton
      label="Replace the API key"
      title="Replace the API key?"
      description="The key is checked with the provider first. Every call then uses it, without a restart. It is stored encrypted and never shown."
      action={change}
      afterFreshSignIn
      fields={{}}
      done="The new key is in use."
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

/** The service makes a token of a user's verification, which is shown once. */
export function ShareTokenButton({ share }: { readonly share: Action<{ readonly token: string }> }) {
  return (
    <ConfirmedActionButton
      label="Make a share token"
      title="Share a user’s verification?"
      description="Whoever has the token gets the personal data that the user was verified with. It is shown once and kept nowhere."
      action={share}
      afterFreshSignIn
      fields={{}}
      done={null}
      onDone={() => undefined}
      result={({ token }) => ({
        title: 'Copy the token now',
        body: (
          <OnceShown
            secret={token}
            name="Share token"
            copy="Copy token"
            lost="If it is lost, make another one."
          />
        ),
      })}
    >
      {(errorOf) => (
        <TextField
          label="User ID"
          name="userUuid"
          mono
          autoComplete="off"
          spellCheck={false}
          required
          error={errorOf('userUuid')}
        />
      )}
    </ConfirmedActionButton>
  )
}
