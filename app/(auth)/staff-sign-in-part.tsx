import { RefusalCallout } from '#components/form/refusal-callout.tsx'
import { StaffSignIn } from '#components/sign-in/staff-sign-in.tsx'
import { readSignInRefusal } from '#lib/domain/sign-in/sign-in-refusal.ts'
import { signInMessages } from '#lib/labels/sign-in-messages.ts'
import { passkeysWork } from '#lib/passkeys/relying-party.ts'
import { singleSignOnPage } from '#lib/single-sign-on/single-sign-on-page.ts'
import { beginPasskeySignInAction } from '../passkey-actions.ts'
import { beginSingleSignOnAction } from '../single-sign-on-actions.ts'

/** The staff part of the sign-in page. */
export function StaffSignInPart({ next, again }: { readonly next: string | null; readonly again: boolean }) {
  const sso = singleSignOnPage()
  return (
    <StaffSignIn
      beginPasskey={passkeysWork() ? beginPasskeySignInAction : null}
      singleSignOn={sso && { name: sso.name, begin: beginSingleSignOnAction }}
      next={next}
      again={again}
    />
  )
}

/** Why single sign-on sent somebody back here without a session; `code` comes from the address. */
export function SingleSignOnRefusal({ code }: { readonly code: string }) {
  const why = readSignInRefusal(code)
  const wanted = why === 'sso-no-role' ? singleSignOnPage()?.wanted : null
  return (
    <RefusalCallout refusal={signInMessages[why]} className="mb-5">
      {wanted && ` ${wanted}`}
    </RefusalCallout>
  )
}
