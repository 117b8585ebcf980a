import type { Metadata } from 'next'
import { RowKeys } from '#components/browser/row-keys.tsx'
import { InviteButton } from '#components/team/invite-button.tsx'
import { MembersTable } from '#components/team/members-table.tsx'
import { Card } from '#components/ui/card.tsx'
import { PageHeader } from '#components/ui/page-header.tsx'
import { requirePage } from '#lib/auth/require-page.ts'
import { env } from '#lib/env.ts'
import { listMembers } from '#lib/members/list-members.ts'
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
