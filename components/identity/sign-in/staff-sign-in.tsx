'use client'

import { useWords } from '#components/ui/browser/words.tsx'
import type { SignatureOptions } from '#lib/identity/passkeys/sign-in-with-passkey.ts'
import type { Action } from '#lib/platform/forms/action-state.ts'
import { openAfterSignIn } from './go-on.tsx'
import { PasskeySignIn } from './passkey-sign-in.tsx'
import { SingleSignOnButton } from './single-sign-on-button.tsx'

export interface StaffSignInProps {
  /** Null where browsers know no passkeys. */
  readonly beginPasskey: Action<SignatureOptions> | null
  /** Null where there is none. */
  readonly singleSignOn: { readonly name: string; readonly begin: Action<{ readonly url: string }> } | null
  readonly next: string | null
  /** Whether somebody who is signed in is to prove once more who they are. */
  readonly again: boolean
  /** Whether single sign-on is to ask for another account. */
  readonly another: boolean
}

/** How members of the team sign in, below what customers do. */
export function StaffSignIn({ beginPasskey, singleSignOn, next, again, another }: StaffSignInProps) {
  const words = useWords()
  if (!beginPasskey && !singleSignOn) return null
  return (
    <section
      aria-labelledby="staff-title"
      className="mt-5 flex flex-wrap items-start justify-between gap-x-6 gap-y-3 rounded-2xl border bg-surface px-gutter py-4 sm:px-7 sm:py-5"
    >
      <div className="min-w-0">
        <h2 id="staff-title" className="font-heading text-base">
          {words('signIn.team')}
        </h2>
        <p className="mt-0.5 text-muted text-sm">{words('signIn.teamLead')}</p>
      </div>
      <div className="flex flex-wrap items-start gap-2.5 max-sm:w-full max-sm:flex-col max-sm:[&>*]:w-full">
        {beginPasskey && (
          <PasskeySignIn
            begin={beginPasskey}
            onSignedIn={() => openAfterSignIn(next)}
            label={words('signIn.passkey')}
          />
        )}
        {singleSignOn && <SingleSignOnButton {...singleSignOn} next={next} again={again} another={another} />}
      </div>
    </section>
  )
}
