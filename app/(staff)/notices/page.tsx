import { Bell } from 'lucide-react'
import type { Metadata } from 'next'
import { z } from 'zod'
import { MarkSeenButton } from '#components/audit/notices/mark-seen-button.tsx'
import { NoticeList } from '#components/audit/notices/notice-list.tsx'
import { mailAlerts } from '#components/operations/settings/installation-alerts.tsx'
import { RowKeys } from '#components/ui/browser/row-keys.tsx'
import { Card } from '#components/ui/card.tsx'
import { EmptyState } from '#components/ui/empty-state.tsx'
import { PageLinks } from '#components/ui/list/page-links.tsx'
import { RefreshEvery } from '#components/ui/live/refresh.tsx'
import { PageHeader } from '#components/ui/page-header.tsx'
import { AlertSlot } from '#components/ui/shared/alert-slot.tsx'
import { listNotices } from '#lib/audit/notices/notices.ts'
import { requirePage } from '#lib/identity/sessions/read-request.ts'
import { readMailTrouble } from '#lib/operations/settings/read-mail-health.ts'
import { markNoticesSeenAction } from './actions.ts'

export const metadata: Metadata = { title: 'Notices' }

const SearchSchema = z.object({ before: z.guid().nullable().catch(null) })

interface Props {
  readonly searchParams: Promise<Record<string, unknown>>
}

/** The page lists the notices of all admins. */
export default async function NoticesPage({ searchParams }: Props) {
  const { before } = SearchSchema.parse(await searchParams)
  const caller = await requirePage('read-notices', before ? `/notices?before=${before}` : '/notices')
  const [{ notices, next, unseen }, trouble] = await Promise.all([
    listNotices(caller, { before }),
    readMailTrouble(caller),
  ])
  return (
    <>
      <RowKeys />
      <PageHeader
        title="Notices"
        actions={unseen.length > 0 && <MarkSeenButton unseen={unseen} markSeen={markNoticesSeenAction} />}
      >
        Security notices for all admins.
      </PageHeader>
      <AlertSlot alerts={mailAlerts(trouble)} className="mt-5" />
      <Card className="mt-5">
        {notices.length > 0 ? (
          <NoticeList notices={notices} />
        ) : before ? (
          <EmptyState title="Nothing more here" />
        ) : (
          <EmptyState icon={Bell} title="No notices">
            Exports, shown secrets and role changes appear here for every admin.
          </EmptyState>
        )}
        <PageLinks newest={before ? '/notices' : null} older={next && `/notices?before=${next}`} />
      </Card>
      <RefreshEvery seconds={30} />
    </>
  )
}
