'use client'

import type { Invited } from '#lib/links/invite.ts'
import { OnceShown } from '../form/once-shown.tsx'
import { Callout } from '../ui/callout.tsx'
import { Time } from '../ui/time.tsx'

/** What became of an invitation: mailed, or the link to pass on. */
export function InvitationLink({ invited }: { readonly invited: Invited }) {
  const { name, mailedTo, link, mailFailed, expiresAt } = invited
  const until = <Time at={expiresAt} style="minute" />
  if (link === null)
    return (
      <>
        The link was mailed to <strong className="text-text">{mailedTo}</strong>. It is good once, until{' '}
        {until}.
      </>
    )
  return (
    <div className="grid gap-3">
      <Callout
        kind="warning"
        title={
          mailFailed ? 'The mail could not be sent.' : 'Copy it now: it is shown this once and not kept here.'
        }
      >
        {mailFailed && 'The invitation stands: pass its link on yourself. '}
        Give it to {name} alone, on a way that you trust. It is good once, until {until}.
      </Callout>
      <OnceShown
        secret={link}
        name="Invitation link"
        copy="Copy link"
        lost="You can withdraw the invitation and make another."
      />
    </div>
  )
}
