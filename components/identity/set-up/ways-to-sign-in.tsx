'use client'

import type { ReactNode } from 'react'
import { ButtonLink } from '#components/ui/button-link.tsx'
import { Callout } from '#components/ui/callout.tsx'
import { TextField } from '#components/ui/field.tsx'
import type { RegistrationOptions } from '#lib/identity/passkeys/registration.ts'
import type { Action } from '#lib/platform/forms/action-state.ts'
import { RegisterPasskey } from '../passkeys/register-passkey.tsx'
import { SingleSignOnButton } from '../sign-in/single-sign-on-button.tsx'

interface WaysToSignInProps {
  /** The name is empty until the person has typed one. */
  readonly name: string
  /** The first admin is asked for an address. */
  readonly asksForEmail: boolean
  /** `passkey` is null when browsers cannot use passkeys here. */
  readonly passkey: { readonly begin: Action<RegistrationOptions>; readonly finish: Action<void> } | null
  /** `singleSignOn` is null when it is not set up. */
  readonly singleSignOn: { readonly name: string; readonly begin: Action<{ readonly url: string }> } | null
  /** `asUser`: a member may sign in as a user of the payment service. */
  readonly asUser: boolean
}

/** A person who opened a link chooses how to sign in from now on. Any of these ways makes them a member. */
export function WaysToSignIn({ name, asksForEmail, passkey, singleSignOn, asUser }: WaysToSignInProps) {
  return (
    <div className="grid gap-6">
      {passkey ? (
        <RegisterPasskey
          begin={passkey.begin}
          finish={passkey.finish}
          onDone={() => window.location.assign('/')}
        >
          {(errorOf) => (
            <>
              <TextField
                label="Your name"
                name="name"
                autoComplete="name"
                required
                defaultValue={name}
                hint="The others see it beside what you do."
                error={errorOf('name')}
              />
              {asksForEmail && (
                <TextField
                  label="E-mail"
                  aside="Optional"
                  name="email"
                  inputMode="email"
                  autoComplete="email"
                  autoCapitalize="none"
                  spellCheck={false}
                  hint="Alerts and notices go to it."
                  error={errorOf('email')}
                />
              )}
            </>
          )}
        </RegisterPasskey>
      ) : (
        <Callout kind="warning" title="There are no passkeys at this address.">
          Browsers offer them where the dashboard has a host name and HTTPS. The operator sets PUBLIC_URL.
        </Callout>
      )}
      {singleSignOn && (
        <Other title="Or by single sign-on">
          <SingleSignOnButton {...singleSignOn} next={null} />
        </Other>
      )}
      {asUser && (
        <Other title="Or as a user of the payment provider">
          <ButtonLink href="/sign-in">Sign in by wallet or e-mail code</ButtonLink>
        </Other>
      )}
    </div>
  )
}

const Other = ({ title, children }: { readonly title: string; readonly children: ReactNode }) => (
  <section className="grid gap-2.5 border-t pt-5">
    <h2 className="font-label text-muted text-sm">{title}</h2>
    {children}
  </section>
)
