'use client'

import { Callout } from '#components/ui/callout.tsx'
import { OnceShown } from '#components/ui/form/once-shown.tsx'
import { Time } from '#components/ui/time.tsx'
import type { Invited } from '#lib/identity/links/invite.ts'

/** What became of an invitation: mailed, or the link to pass on. */
export function InvitationLink({ invited }: { readonly invited: Invited }) {
  const { name, mail, link, expiresAt } = invited
  const until = <Time at={expiresAt} style="minute" />
  if (link === null)
    return (
      <>
        The link was mailed to <strong className="text-text">{mail?.to}</strong>. It is good once, until{' '}
        {until}.
      </>
    )
  return (
    <div className="grid gap-3">
      <Callout
        kind="warning"
        title={
          mail && mail.state !== 'sent'
            ? titles[mail.state]
            : 'Copy it now: it is shown this once and not kept here.'
        }
      >
        {mail && mail.state !== 'sent' && `${mail.answer} ${whatNext[mail.state]} `}
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

const titles = {
  waiting: 'The mail is not sent yet.',
  unknown: 'The mail may have been sent.',
  failed: 'The mail could not be sent.',
} as const

const whatNext = {
  waiting:
    'It is tried again for a day; the list of invitations says what came of it. The link is good meanwhile.',
  unknown: 'Ask whether it arrived. The link is the same.',
  failed: 'The invitation stands: pass its link on yourself.',
} as const
