import { CircleCheck } from 'lucide-react'
import type { Metadata } from 'next'
import { ProjectionAlerts } from '#components/dead-letters/projection-alerts.tsx'
import { KeyAlerts } from '#components/endpoints/key-alerts.tsx'
import { GapsTable } from '#components/gaps/gaps-table.tsx'
import { StrangerNotices } from '#components/gaps/stranger-notices.tsx'
import { RefreshEvery } from '#components/live/refresh-every.tsx'
import { MarkSeenButton } from '#components/notices/mark-seen-button.tsx'
import { NoticeList } from '#components/notices/notice-list.tsx'
import { ServiceAlert } from '#components/settings/service-alert.tsx'
import { ButtonLink } from '#components/ui/button.tsx'
import { Card } from '#components/ui/card.tsx'
import { EmptyState } from '#components/ui/empty-state.tsx'
import { PageHeader } from '#components/ui/page-header.tsx'
import { requirePage } from '#lib/auth/require-page.ts'
import { readProjectionStatus } from '#lib/dead-letters/read-projection-status.ts'
import { may } from '#lib/domain/access/roles.ts'
import { readKeyFaults } from '#lib/endpoints/read-key-faults.ts'
import { listGaps } from '#lib/gaps/list-gaps.ts'
import { listStrangerCalls } from '#lib/gaps/list-stranger-calls.ts'
import { listNotices } from '#lib/notices/list-notices.ts'
import { readServiceState } from '#lib/service-key/service-state.ts'
import { revealBodyAction } from '../actions.ts'
import { markNoticesSeenAction } from '../notices/actions.ts'
import { retryDeadLettersAction } from './actions.ts'

export const metadata: Metadata = { title: 'Overview' }

/** Problems that need attention: what the timeline lacks, and gaps in which deliveries may be missing. */
export default async function OverviewPage() {
  const caller = await requirePage('see-endpoint-health', '/overview')
  const [{ rows, next }, projection, keyFaults, strangers, told, service] = await Promise.all([
    listGaps(caller, { state: 'open', limit: 20 }),
    readProjectionStatus(caller),
    readKeyFaults(caller),
    listStrangerCalls(caller),
    may(caller.role, 'read-notices') ? listNotices(caller, { unseen: true, limit: 5 }) : nothingTold,
    readServiceState(),
  ])
  const [newest] = told.notices
  return (
    <>
      <PageHeader title="Overview" actions={<ButtonLink href="/gaps">All gaps</ButtonLink>}>
        Whether deliveries may be missing.
      </PageHeader>
      <ServiceAlert state={service} className="mt-5" />
      <KeyAlerts faults={keyFaults} className="mt-5" />
      <ProjectionAlerts projection={projection} action={retryDeadLettersAction} reveal={revealBodyAction} />
      {strangers.length > 0 && (
        <div className="mt-5 grid gap-3">
          <StrangerNotices strangers={strangers} />
        </div>
      )}
      {newest && (
        <Card
          title="New to you"
          aside={<MarkSeenButton newest={newest.id} markSeen={markNoticesSeenAction} />}
          className="mt-5"
        >
          <NoticeList notices={told.notices} />
          {told.next && <ButtonLink href="/notices">All notices</ButtonLink>}
        </Card>
      )}
      <Card className="mt-5">
        <h2 className="px-4 py-3.5 font-title text-muted text-sm">Needs a look</h2>
        {rows.length > 0 ? (
          <GapsTable gaps={rows} />
        ) : (
          <EmptyState icon={CircleCheck} title="No gap in deliveries is open">
            When deliveries may be missing, it says here since when, and leads to the transactions that were
            open.
          </EmptyState>
        )}
      </Card>
      {next && (
        <p className="mt-4 text-center">
          <ButtonLink href="/gaps?state=open">All that are open</ButtonLink>
        </p>
      )}
      <RefreshEvery seconds={30} />
    </>
  )
}

const nothingTold = { notices: [], next: null }
