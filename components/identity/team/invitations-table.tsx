'use client'

import { useRouter } from 'next/navigation'
import { ConfirmedActionButton } from '#components/ui/form/confirmed-action-button.tsx'
import { Pill } from '#components/ui/pill.tsx'
import { Table, Td, Th, Tr } from '#components/ui/table.tsx'
import { Time } from '#components/ui/time.tsx'
import { roleLabels } from '#lib/access/labels/role-labels.ts'
import type { InvitationView } from '#lib/identity/links/list-invitations.ts'
import type { Action } from '#lib/platform/forms/action-state.ts'

/** Who is invited and has not joined yet; a narrow page keeps the facts of each below its name. */
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
          <Th>State</Th>
          <Th>Invited by</Th>
          <Th>Good until</Th>
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
              <Time at={expiresAt} style="exact" />
            </Td>
            <Td className={cell}>
              <ConfirmedActionButton
                label="Withdraw"
                of={name}
                title={`Withdraw the invitation of ${name}?`}
                description="Its link opens no more. Whoever has opened it and not finished is sent away."
                action={withdraw}
                fields={{ invitationId: id }}
                done="Withdrawn: the link opens no more."
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
