import type { Metadata } from 'next'
import type { ReactNode } from 'react'
import { InvitationsTable, InviteButton } from '#components/identity/team/invitations.tsx'
import { RowKeys } from '#components/ui/browser/row-keys.tsx'
import { Card } from '#components/ui/card.tsx'
import { Link } from '#components/ui/link.tsx'
import { PageHeader } from '#components/ui/page-header.tsx'
import { Pill, Tag } from '#components/ui/pill.tsx'
import { Table, Td, Th, Tr } from '#components/ui/table.tsx'
import { Time } from '#components/ui/time.tsx'
import type { Caller } from '#lib/access/caller.ts'
import { roleLabels } from '#lib/access/labels/role-labels.ts'
import { waysToSignIn } from '#lib/identity/labels/sign-in-labels.ts'
import { listInvitations } from '#lib/identity/links/invitations.ts'
import { listMembers, type MemberView } from '#lib/identity/members/list-members.ts'
import { requirePage } from '#lib/identity/sessions/read-request.ts'
import { env } from '#lib/platform/env.ts'
import { inviteAction, withdrawInvitationAction } from './actions.ts'

export const metadata: Metadata = { title: 'Team' }

export default async function TeamPage() {
  const caller = await requirePage('manage-team', '/team')
  return (
    <>
      <PageHeader
        title="Team"
        actions={<InviteButton invite={inviteAction} sendsMail={env().mail !== null} />}
      >
        Members and roles.
      </PageHeader>
      <Card className="mt-5">
        <MembersTable members={await listMembers(caller)} />
      </Card>
      <Invitations caller={caller} />
      <RowKeys />
    </>
  )
}

/** The list has people who are invited and have not joined yet. */
async function Invitations({ caller }: { readonly caller: Caller }) {
  const invitations = await listInvitations(caller)
  return (
    <section aria-labelledby="invitations" className="mt-6">
      <h2 id="invitations" className="mb-2.5 font-title text-muted text-sm">
        Invitations
      </h2>
      <Card>
        {invitations.length === 0 ? (
          <p className="px-4 py-3 text-muted text-table">Nobody is invited at the moment.</p>
        ) : (
          <InvitationsTable invitations={invitations} withdraw={withdrawInvitationAction} />
        )}
      </Card>
    </section>
  )
}

/** Members come first, then removed ones. A narrow page shows the facts of each below the name. */
function MembersTable({ members }: { readonly members: readonly MemberView[] }) {
  return (
    <Table>
      <thead className="max-md:sr-only">
        <tr>
          <Th>Name</Th>
          <Th>Role</Th>
          <Th>Last seen</Th>
          <Th>Sign-in method</Th>
          <Th numeric>Active sessions</Th>
        </tr>
      </thead>
      <tbody>
        {members.map((member) => (
          <Row key={member.id} member={member} />
        ))}
      </tbody>
    </Table>
  )
}

function Row({ member }: { readonly member: MemberView }) {
  const { id, name, email, role, you, lastSeenAt, sessions, removedAt } = member
  return (
    <Tr className="relative transition-colors hover:bg-hover max-md:block max-md:px-3 max-md:py-3">
      <Td className="h-auto whitespace-normal! py-2.5 max-md:block max-md:px-0! max-md:pt-0 max-md:pb-2">
        <Link href={`/team/${id}`} data-row className="break-words font-strong row-link">
          {name}
        </Link>{' '}
        {you && <Tag>You</Tag>}
        {email && <span className="block break-all text-muted text-sm">{email}</span>}
      </Td>
      <Td className={cell}>
        {removedAt ? <Pill tone="back">Removed</Pill> : role ? roleLabels[role] : 'Unknown role'}
      </Td>
      <Td className={cell}>
        <Label>Last seen: </Label>
        {lastSeenAt ? <Time at={lastSeenAt} /> : 'Never'}
      </Td>
      <Td className={cell}>
        <Label>Sign-in method: </Label>
        {removedAt ? '–' : waysToSignIn(member)}
      </Td>
      <Td numeric className={cell}>
        <Label>Active sessions: </Label>
        {sessions === 0 ? '–' : sessions}
      </Td>
    </Tr>
  )
}

/** A narrow page shows the heading of a column here. */
const Label = ({ children }: { readonly children: ReactNode }) => (
  <span className="text-muted md:hidden">{children}</span>
)

const cell = 'max-md:mr-4 max-md:inline-block max-md:h-auto max-md:px-0! max-md:text-sm'
