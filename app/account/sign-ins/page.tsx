import type { Metadata } from 'next'
import { OwnSessions } from '#components/profile/session-list.tsx'
import { PageHeader } from '#components/ui/page-header.tsx'
import { listOwnSessions } from '#lib/auth/list-sessions.ts'
import { requirePage } from '#lib/auth/require-page.ts'
import { endOtherSessionsAction, endOwnSessionAction } from '../../session-actions.ts'

export const metadata: Metadata = { title: 'Your sign-ins' }

/** Where an end user is signed in. */
export default async function OwnSignInsPage() {
  const caller = await requirePage('see-own', '/account/sign-ins')
  return (
    <>
      <PageHeader title="Your sign-ins">
        If you do not know one of these, end it, and tell support.
      </PageHeader>
      <div className="mt-6 max-w-[46rem]">
        <OwnSessions
          sessions={await listOwnSessions(caller)}
          end={endOwnSessionAction}
          endOthers={endOtherSessionsAction}
        />
      </div>
    </>
  )
}
