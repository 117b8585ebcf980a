'use client'

import { useRouter } from 'next/navigation'
import { Callout } from '#components/ui/callout.tsx'
import { TextField } from '#components/ui/field.tsx'
import { ConfirmedActionButton } from '#components/ui/form/confirmed-action-button.tsx'
import { OnceShown } from '#components/ui/form/once-shown.tsx'
import { Pill } from '#components/ui/pill.tsx'
import { Table, Td, Th, Tr } from '#components/ui/table.tsx'
import { Time } from '#components/ui/time.tsx'
import { roleLabels } from '#lib/access/labels/role-labels.ts'
import type { InvitationView, Invited } from '#lib/identity/links/invitations.ts'
import type { Action } from '#lib/platform/forms/action-state.ts'
import { RoleField } from './role-field.tsx'

/** Each row is a person who is invited and has not joined yet. A narrow page shows the facts of each below the name. */
export function InvitationsTable({
  invitations,
  withdraw,
}: {
  readonly invitations: readonly InvitationView[]
  readonly withdraw: Action<void>
}) {
  const router = useRouter()
  return (
    <Table>
      <thead className="max-md:sr-only">
        <tr>
          <Th>Name</Th>
          <Th>Role</Th>
          <Th>Status</Th>
          <Th>Invited by</Th>
          <Th>Expires</Th>
          <Th>
            <span className="sr-only">Withdraw</span>
          </Th>
        </tr>
      </thead>
      <tbody>
        {invitations.map(({ id, name, email, role, state, mail, invitedBy, expiresAt }) => (
          <Tr key={id} className="max-md:block max-md:px-3 max-md:py-3">
            <Td className="h-auto whitespace-normal! py-2.5 max-md:block max-md:px-0! max-md:pt-0 max-md:pb-2">
              <span className="font-strong">{name}</span>
              {email && <span className="block text-muted text-sm">{email}</span>}
            </Td>
            <Td className={cell}>{role === null ? '–' : roleLabels[role]}</Td>
            <Td className={cell}>
              <Pill tone={states[state].tone}>{states[state].label}</Pill>
              {state === 'sent' && mail !== null && mail !== 'sent' && (
                <span className="block text-muted text-sm">{mailStates[mail]}</span>
              )}
            </Td>
            <Td className={cell}>{invitedBy}</Td>
            <Td className={cell}>
              <Time at={expiresAt} style="minute" />
            </Td>
            <Td className={cell}>
              <ConfirmedActionButton
                label="Withdraw"
                of={name}
                title={`Withdraw the invitation of ${name}?`}
                description="Its link stops working, also for somebody who has opened it and not finished."
                action={withdraw}
                fields={{ invitationId: id }}
                done="Withdrawn: the link does not work any more."
                asksReason={false}
                onDone={() => router.refresh()}
              />
            </Td>
          </Tr>
        ))}
      </tbody>
    </Table>
  )
}

const states = {
  sent: { tone: 'wait', label: 'Not opened yet' },
  opened: { tone: 'move', label: 'Opened' },
  expired: { tone: 'held', label: 'Expired' },
} as const

const mailStates = {
  waiting: 'The mail is not sent yet',
  unknown: 'The mail may have been sent',
  failed: 'The mail was not sent',
} as const

const cell = 'max-md:mr-4 max-md:inline-block max-md:h-auto max-md:px-0! max-md:text-sm'

/** An admin invites somebody to the team by mail, or by a link that is shown only once. */
export function InviteButton({
  invite,
  sendsMail,
}: {
  readonly invite: Action<Invited>
  /** `sendsMail`: a mail server is set. */
  readonly sendsMail: boolean
}) {
  const router = useRouter()
  return (
    <ConfirmedActionButton
      label="Invite"
      variant="primary"
      title="Invite a member?"
      description={`They get a single-use link, valid 7 days. ${sendsMail ? 'It is mailed where you give an address.' : 'Send it yourself (no mail server configured).'}`}
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

/** The invitation was mailed, or its link is passed on by the admin. */
function InvitationLink({ invited }: { readonly invited: Invited }) {
  const { name, mail, link, expiresAt } = invited
  const until = <Time at={expiresAt} style="minute" />
  if (link === null)
    return (
      <>
        The link was mailed to <strong className="text-text">{mail?.to}</strong>. It works once, until {until}
        .
      </>
    )
  return (
    <div className="grid gap-3">
      <Callout
        kind="warning"
        title={
          mail && mail.state !== 'sent'
            ? titles[mail.state]
            : 'Copy it now: it is shown only once and not stored here.'
        }
      >
        {mail && mail.state !== 'sent' && `${mail.answer} ${whatNext[mail.state]} `}
        Give it to {name} alone, over a secure channel. It works once, until {until}.
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
  waiting: 'It is retried for a day; the list of invitations shows the result. The link works meanwhile.',
  unknown: 'Ask whether it arrived. The link is the same.',
  failed: 'The invitation stands: pass its link on yourself.',
} as const
