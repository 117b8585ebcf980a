import type { Metadata } from 'next'
import { NameForm } from '#components/set-up/name-form.tsx'
import { OpenLink } from '#components/set-up/open-link.tsx'
import { StandalonePage } from '#components/standalone-page.tsx'
import { findSetUpCaller } from '#lib/auth/find-set-up-caller.ts'
import { findSession } from '#lib/auth/require-session.ts'
import { roleLabels } from '#lib/labels/role-labels.ts'
import { readSetUp } from '#lib/links/read-set-up.ts'
import { nameYourselfAction, openLinkAction } from './actions.ts'

export const metadata: Metadata = { title: 'Set up your sign-in', referrer: 'no-referrer' }

/** Where a link leads that lets somebody in. Before it is opened, the page knows nothing of it: it stands behind `#`. */
export default async function SetUpPage() {
  const settingUp = await findSetUpCaller()
  const setUp = settingUp && (await readSetUp(settingUp))
  if (!setUp) {
    const signedIn = await findSession()
    return (
      <OpenLink
        openLink={openLinkAction}
        signedInAs={signedIn && (signedIn.name ?? signedIn.email ?? 'somebody')}
      />
    )
  }
  const { name, role } = setUp
  return (
    <StandalonePage title={name === '' ? 'Welcome to Rampart' : `Welcome, ${name}`}>
      <p>
        You join the team with the role <strong className="text-text">{roleLabels[role]}</strong>.
      </p>
      <NameForm action={nameYourselfAction} name={name} />
    </StandalonePage>
  )
}
