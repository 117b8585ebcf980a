'use client'

import { type ComponentProps, type ReactNode, useState, useSyncExternalStore } from 'react'
import { Button } from '#components/ui/button.tsx'
import { Callout } from '#components/ui/callout.tsx'
import { TextField } from '#components/ui/field.tsx'
import { callAction } from '#components/ui/form/call-action.ts'
import { RefusalCallout, type RefusalText } from '#components/ui/form/refusal-callout.tsx'
import { ButtonLink } from '#components/ui/link.tsx'
import { StandalonePage } from '#components/ui/shared/standalone-page.tsx'
import type { RegistrationOptions } from '#lib/identity/passkeys/registration.ts'
import type { Action } from '#lib/platform/forms/action-state.ts'
import { RegisterPasskey } from '../passkeys/register-passkey.tsx'
import { SingleSignOnButton } from '../sign-in/single-sign-on-button.tsx'

/**
 * A click opens the link whose token is behind `#` in the page's address. Programs that follow links in mails
 * therefore do not use it up.
 */
export function OpenLink({
  openLink,
  signedInAs,
}: {
  readonly openLink: Action<'/' | '/set-up'>
  /** `signedInAs` is null when nobody is signed in here. */
  readonly signedInAs: string | null
}) {
  const token = useSyncExternalStore(onHashChange, readToken, () => null)
  if (token === null) return null
  if (token === '') {
    return (
      <StandalonePage
        title="This page is opened by a link"
        actions={<ButtonLink href="/sign-in">Sign in</ButtonLink>}
      >
        Copy the whole link of your invitation into the address bar, including the part after #.
      </StandalonePage>
    )
  }
  // Another link that is pasted into the same tab changes only the hash, and begins anew.
  return <OpenToken key={token} token={token} openLink={openLink} signedInAs={signedInAs} />
}

function OpenToken({
  token,
  openLink,
  signedInAs,
}: ComponentProps<typeof OpenLink> & { readonly token: string }) {
  const [opening, setOpening] = useState(false)
  const [failure, setFailure] = useState<LinkFailure | null>(null)
  const open = async () => {
    setOpening(true)
    setFailure(null)
    const answer = await callAction(openLink, { token })
    // The next address has no token, which is used up.
    if (answer.kind === 'done') return window.location.replace(answer.value)
    setOpening(false)
    if (answer.kind === 'unanswered') return setFailure({ refusal: answer, again: true })
    setFailure({ refusal: answer.kind === 'refused' ? answer : unreadable, again: false })
  }
  return <LinkPage signedInAs={signedInAs} opening={opening} failure={failure} onOpen={open} />
}

interface LinkFailure {
  readonly refusal: RefusalText
  /** `again`: it is unknown whether the link was tried, so it may still open. */
  readonly again: boolean
}

/** The page says what a link is, opens it, and says why it did not open. A refused link is not offered again. */
export function LinkPage({
  signedInAs,
  opening,
  failure,
  onOpen,
}: {
  readonly signedInAs: string | null
  readonly opening: boolean
  readonly failure: LinkFailure | null
  readonly onOpen: () => void
}) {
  return (
    <StandalonePage
      title="You were sent a link to Rampart"
      actions={
        failure && !failure.again ? (
          <ButtonLink href="/sign-in">Sign in</ButtonLink>
        ) : (
          <Button variant="primary" size="lg" pending={opening} onClick={onOpen}>
            {opening ? 'Opening…' : 'Open the link'}
          </Button>
        )
      }
    >
      {failure ? (
        <RefusalCallout refusal={failure.refusal} className="text-left" />
      ) : (
        <p>
          It works for one person. Continue in the browser that you want to work in.
          {signedInAs !== null && ` You are signed in here as ${signedInAs}; opening the link signs you out.`}
        </p>
      )}
    </StandalonePage>
  )
}

const unreadable = { title: 'This link cannot be read.', next: 'Check that it was copied whole.' }

/** The router may write the earlier address once more after its action, so the token that was pasted last is kept. */
let pasted: string | null = null

const readToken = () => pasted ?? window.location.hash.slice(1)

function onHashChange(then: () => void): () => void {
  const onChange = ({ newURL }: HashChangeEvent) => {
    pasted = new URL(newURL).hash.slice(1)
    then()
  }
  window.addEventListener('hashchange', onChange)
  return () => window.removeEventListener('hashchange', onChange)
}

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
