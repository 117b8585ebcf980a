'use client'

import type { Action } from '#lib/forms/action-state.ts'
import { ConfirmedActionButton } from '../form/confirmed-action-button.tsx'
import { CopyButton } from '../ui/copy-button.tsx'
import { TextField } from '../ui/field.tsx'

/** Has the service make a token of a user's verification, which is shown once. */
export function ShareTokenButton({ share }: { readonly share: Action<{ readonly token: string }> }) {
  return (
    <ConfirmedActionButton
      label="Make a share token"
      title="Share a user’s verification?"
      description="Whoever has the token gets the personal data that the user was verified with. It is shown once and kept nowhere."
      action={share}
      afterFreshSignIn
      fields={{}}
      onDone={() => undefined}
      result={({ token }) => ({
        title: 'Copy the token now',
        body: (
          <span className="flex items-center gap-2">
            <code className="mono break-all">{token}</code>
            <CopyButton text={token} label="Copy the token" />
          </span>
        ),
      })}
    >
      {(errorOf) => (
        <TextField
          label="The user’s uuid"
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
