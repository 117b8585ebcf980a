import type { Metadata } from 'next'
import { InviteButton } from '#components/team/invite-button.tsx'
import { PageHeader } from '#components/ui/page-header.tsx'
import { requirePage } from '#lib/auth/require-page.ts'
import { env } from '#lib/env.ts'
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
      <Invitations caller={caller} />
    </>
  )
}
