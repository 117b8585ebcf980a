'use client'

import { useRouter } from 'next/navigation'
import { TextField } from '#components/ui/field.tsx'
import { ConfirmedActionButton } from '#components/ui/form/confirmed-action-button.tsx'
import type { Invited } from '#lib/identity/links/invite.ts'
import type { Action } from '#lib/platform/forms/action-state.ts'
import { InvitationLink } from './invitation-link.tsx'
import { RoleField } from './role-field.tsx'

/** Invites somebody to the team: by mail, or by a link that is shown this once. */
export function InviteButton({
  invite,
  sendsMail,
}: {
  readonly invite: Action<Invited>
  /** Whether a mail server is set. */
  readonly sendsMail: boolean
}) {
  const router = useRouter()
  return (
    <ConfirmedActionButton
      label="Invite"
      variant="primary"
      title="Invite somebody to the team?"
      description={`They get a link that is good once and for 7 days. ${sendsMail ? 'It is mailed where you give an address.' : 'You pass it on: no mail server is set here.'}`}
      action={invite}
      afterFreshSignIn
      fields={{}}
      done={null}
      onDone={() => router.refresh()}
      result={(invited) => ({
        title: `${invited.name} is invited`,
        body: <InvitationLink invited={invited} />,
      })}
    >
      {(errorOf) => (
        <>
          <TextField label="Name" name="name" autoComplete="off" required error={errorOf('name')} />
          <TextField
            label="E-mail"
            aside="Optional"
            name="email"
            inputMode="email"
            autoComplete="off"
            autoCapitalize="none"
            spellCheck={false}
            error={errorOf('email')}
          />
          <RoleField defaultValue="support" error={errorOf('role')} />
        </>
      )}
    </ConfirmedActionButton>
  )
}
