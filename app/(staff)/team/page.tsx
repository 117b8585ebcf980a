import type { Metadata } from 'next'
import { InviteButton } from '#components/identity/team/invitations.tsx'
import { MembersTable } from '#components/identity/team/members-table.tsx'
import { RowKeys } from '#components/ui/browser/row-keys.tsx'
import { Card } from '#components/ui/card.tsx'
import { PageHeader } from '#components/ui/page-header.tsx'
import { listMembers } from '#lib/identity/members/list-members.ts'
import { requirePage } from '#lib/identity/sessions/require-session.ts'
import { env } from '#lib/platform/env.ts'
import { inviteAction } from './actions.ts'
import { Invitations } from './invitations.tsx'

export const metadata: Metadata = { title: 'Team' }

export default async function TeamPage() {
  const caller = await requirePage('manage-team', '/team')
  return (
    <>
      <PageHeader
        title="Team"
        actions={<InviteButton invite={inviteAction} sendsMail={env().mail !== null} />}
      >
        Who works with this dashboard, and as what.
      </PageHeader>
      <Card className="mt-5">
        <MembersTable members={await listMembers(caller)} />
      </Card>
      <Invitations caller={caller} />
      <RowKeys />
    </>
  )
}
