import type { Metadata } from 'next'
import { DraftsBeforeSignIn } from '#components/form/drafts.tsx'
import { OpenLink } from '#components/set-up/open-link.tsx'
import { WaysToSignIn } from '#components/set-up/ways-to-sign-in.tsx'
import { StandaloneFrame } from '#components/standalone-page.tsx'
import { Card } from '#components/ui/card.tsx'
import { findSetUpCaller } from '#lib/auth/find-set-up-caller.ts'
import { findSession } from '#lib/auth/require-session.ts'
import { roleLabels } from '#lib/labels/role-labels.ts'
import { readSetUp } from '#lib/links/read-set-up.ts'
import { passkeysWork } from '#lib/passkeys/relying-party.ts'
import { singleSignOnPage } from '#lib/single-sign-on/single-sign-on-page.ts'
import { isEnoughForStaff } from '#lib/team/is-enough-for-staff.ts'
import { beginSingleSignOnAction } from '../single-sign-on-actions.ts'
import { beginSetUpPasskeyAction, openLinkAction, setUpPasskeyAction } from './actions.ts'

export const metadata: Metadata = { title: 'Set up your sign-in', referrer: 'no-referrer' }

/** Where a link leads that lets somebody in. Before it is opened, the page knows nothing of it: it stands behind `#`. */
export default async function SetUpPage() {
  const settingUp = await findSetUpCaller()
  const setUp = settingUp && (await readSetUp(settingUp))
  if (!setUp) {
    const signedIn = await findSession()
    const name = signedIn && (signedIn.name ?? signedIn.email ?? 'somebody')
    return <OpenLink openLink={openLinkAction} signedInAs={name} />
  }
  const sso = singleSignOnPage()
  return (
    <StandaloneFrame>
      <Card className="p-6 sm:p-7">
        <h1 className="font-heading text-lg">Welcome to Rampart</h1>
        <p className="mt-1.5 mb-5 text-muted text-table">
          You join the team as <strong className="font-strong text-text">{roleLabels[setUp.role]}</strong>.
          Choose how you will sign in from now on; then your link is used up.
        </p>
        <DraftsBeforeSignIn>
          <WaysToSignIn
            name={setUp.name}
            passkey={passkeysWork() ? { begin: beginSetUpPasskeyAction, finish: setUpPasskeyAction } : null}
            singleSignOn={sso && { name: sso.name, begin: beginSingleSignOnAction }}
            asUser={isEnoughForStaff('code')}
          />
        </DraftsBeforeSignIn>
      </Card>
    </StandaloneFrame>
  )
}
