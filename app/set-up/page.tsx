import type { Metadata } from 'next'
import { OpenLink, WaysToSignIn } from '#components/identity/set-up/open-link.tsx'
import { Card } from '#components/ui/card.tsx'
import { DraftsBeforeSignIn } from '#components/ui/form/drafts.tsx'
import { StandaloneShell } from '#components/ui/shared/standalone-page.tsx'
import { roleLabels } from '#lib/access/labels/role-labels.ts'
import { readSetUp } from '#lib/identity/links/set-up.ts'
import { isEnoughForStaff } from '#lib/identity/members/membership.ts'
import { passkeysWork } from '#lib/identity/passkeys/passkey-challenges.ts'
import { findSession, findSetUpCaller } from '#lib/identity/sessions/read-request.ts'
import { singleSignOnPage } from '#lib/identity/sign-in/sign-in-page.ts'
import { beginSingleSignOnAction } from '../actions.ts'
import { beginSetUpPasskeyAction, openLinkAction, setUpPasskeyAction } from './actions.ts'

export const metadata: Metadata = { title: 'Set up your sign-in', referrer: 'no-referrer' }

/**
 * A link that lets somebody in leads to this page. The page does not know the link before it is opened, because its
 * token is behind `#`.
 */
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
    <StandaloneShell>
      <Card className="p-6 sm:p-7">
        <h1 className="font-heading text-lg">Welcome to Rampart</h1>
        <p className="mt-1.5 mb-5 text-muted text-table">
          You join the team as <strong className="font-strong text-text">{roleLabels[setUp.role]}</strong>.
          Choose how you will sign in from now on. Your link then stops working.
        </p>
        <DraftsBeforeSignIn>
          <WaysToSignIn
            name={setUp.name}
            asksForEmail={setUp.asksForEmail}
            passkey={passkeysWork() ? { begin: beginSetUpPasskeyAction, finish: setUpPasskeyAction } : null}
            singleSignOn={sso && { name: sso.name, begin: beginSingleSignOnAction }}
            asUser={isEnoughForStaff('code')}
          />
        </DraftsBeforeSignIn>
      </Card>
    </StandaloneShell>
  )
}
