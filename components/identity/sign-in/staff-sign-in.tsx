'use client'

import { useWords } from '#components/ui/browser/words.tsx'
import type { SignatureOptions } from '#lib/identity/passkeys/verify-passkey.ts'
import type { Action } from '#lib/platform/forms/action-state.ts'
import { openAfterSignIn } from './go-on.tsx'
import { PasskeySignIn } from './passkey-sign-in.tsx'
import { SingleSignOnButton } from './single-sign-on-button.tsx'

export interface StaffSignInProps {
  /** `beginPasskey` is null when browsers cannot use passkeys here. */
  readonly beginPasskey: Action<SignatureOptions> | null
  /** `singleSignOn` is null when it is not set up. */
  readonly singleSignOn: { readonly name: string; readonly begin: Action<{ readonly url: string }> } | null
  readonly next: string | null
  /** `again`: a person who is signed in proves once more who they are. */
  readonly again: boolean
  /** `another`: single sign-on asks for another account. */
  readonly another: boolean
}

/** Members of the team sign in here, below the ways for customers. */
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
