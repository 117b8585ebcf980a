import type { Metadata } from 'next'
import { InvitationsTable, InviteButton } from '#components/identity/team/invitations.tsx'
import { MembersTable } from '#components/identity/team/members-table.tsx'
import { RowKeys } from '#components/ui/browser/row-keys.tsx'
import { Card } from '#components/ui/card.tsx'
import { PageHeader } from '#components/ui/page-header.tsx'
import type { Caller } from '#lib/access/caller.ts'
import { listInvitations } from '#lib/identity/links/invitations.ts'
import { listMembers } from '#lib/identity/members/list-members.ts'
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
