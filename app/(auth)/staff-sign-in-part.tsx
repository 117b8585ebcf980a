import { StaffSignIn } from '#components/identity/sign-in/staff-sign-in.tsx'
import { RefusalCallout } from '#components/ui/form/refusal-callout.tsx'
import { Link } from '#components/ui/link.tsx'
import { signInMessages } from '#lib/identity/labels/sign-in-messages.ts'
import { passkeysWork } from '#lib/identity/passkeys/passkey-challenges.ts'
import { asksForAnother, readSignInRefusal } from '#lib/identity/rules/sign-in.ts'
import { singleSignOnPage } from '#lib/identity/sign-in/sign-in-page.ts'
import { beginPasskeySignInAction } from '../passkey-actions.ts'
import { beginSingleSignOnAction } from '../single-sign-on-actions.ts'

export function StaffSignInPart({
  next,
  again,
  refused = null,
}: {
  readonly next: string | null
  readonly again: boolean
  /** `refused` says why single sign-on failed before. */
  readonly refused?: string | null
}) {
  const sso = singleSignOnPage()
  return (
    <StaffSignIn
      beginPasskey={passkeysWork() ? beginPasskeySignInAction : null}
      singleSignOn={sso && { name: sso.name, begin: beginSingleSignOnAction }}
      next={next}
      again={again}
      another={asksForAnother(readSignInRefusal(refused))}
    />
  )
}

/**
 * Single sign-on sent the person back here without a session; `code` comes from the address. `back` leads a person
 * who is signed in to the page that they came from.
 */
export function SingleSignOnRefusal({ code, back }: { readonly code: string; readonly back: string | null }) {
  const why = readSignInRefusal(code)
  const wanted = why === 'sso-no-role' ? singleSignOnPage()?.wanted : null
  return (
    <RefusalCallout refusal={signInMessages[why]} className="mb-5">
      {wanted && ` ${wanted}`}
      {back && (
        <>
          {' '}
          <Link href={back} className="underline hover:text-text">
            Go back without it
          </Link>
        </>
      )}
    </RefusalCallout>
  )
}
