import type { Metadata } from 'next'
import type { SearchParams } from 'nuqs/server'
import { PageHeader } from '#components/ui/page-header.tsx'
import { TimesNote } from '#components/ui/time-zone.tsx'
import { requirePage } from '#lib/auth/require-page.ts'
import { getEvent } from '#lib/events/get-event.ts'
import { listEvents } from '#lib/events/list-events.ts'
import { loadTimelineSearch, timelinePath } from './search.ts'
import { TimelineActions } from './timeline-actions.tsx'
import { TimelineView } from './timeline-view.tsx'

export const metadata: Metadata = { title: 'Timeline' }

export default async function TimelinePage({
  searchParams,
}: {
  readonly searchParams: Promise<SearchParams>
}) {
  const search = await loadTimelineSearch(searchParams)
  const caller = await requirePage('see-everything', timelinePath('/timeline', search))
  const at = Date.now()
  const [page, opened] = await Promise.all([
    listEvents(caller, { type: search.type ?? undefined }),
    search.event ? getEvent(caller, search.event) : null,
  ])
  return (
    <>
      <PageHeader title="Timeline" actions={<TimelineActions />}>
        Every event as it arrives, newest first. <TimesNote />
      </PageHeader>
      <TimelineView rendered={{ type: search.type, at, page, opened }} />
    </>
  )
}
