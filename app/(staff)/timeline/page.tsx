import type { Metadata } from 'next'
import { Suspense } from 'react'
import { AlertSlot } from '#components/alerts/alert-slot.tsx'
import { gapAlerts } from '#components/gaps/gap-alerts.tsx'
import { Queries } from '#components/live/queries.tsx'
import { PageHeader } from '#components/ui/page-header.tsx'
import { TimesNote } from '#components/ui/time-zone.tsx'
import { requirePage } from '#lib/auth/require-page.ts'
import { may } from '#lib/domain/access/roles.ts'
import { isUuid } from '#lib/domain/text/uuid.ts'
import { getEvent } from '#lib/events/get-event.ts'
import { listEvents } from '#lib/events/list-events.ts'
import { listGaps } from '#lib/gaps/list-gaps.ts'
import type { Caller } from '#lib/request/caller.ts'
import { nameUser } from '#lib/transactions/name-user.ts'
import { addressOf, type GivenQuery, queryOf } from '../address-of.ts'
import { readTimelineSearch, type TimelineSearch } from './search.ts'
import { TimelineActions } from './timeline-actions.tsx'
import { TimelinePageSkeleton } from './timeline-skeleton.tsx'
import { TimelineView } from './timeline-view.tsx'

export const metadata: Metadata = { title: 'Timeline' }

export default async function TimelinePage({ searchParams }: { readonly searchParams: Promise<GivenQuery> }) {
  const search = readTimelineSearch(queryOf(await searchParams))
  const caller = await requirePage('see-everything', addressOf('/timeline', { ...search }))
  return (
    <>
      <PageHeader title="Timeline" actions={<TimelineActions />}>
        Every event as it arrives, newest first. <TimesNote />
      </PageHeader>
      <Suspense fallback={<TimelinePageSkeleton />}>
        <Events caller={caller} search={search} />
      </Suspense>
    </>
  )
}

async function Events({ caller, search }: { readonly caller: Caller; readonly search: TimelineSearch }) {
  const at = Date.now()
  const { user } = search
  // The browser asks again, and says that this is nobody.
  const wrongUser = user !== null && !isUuid(user)
  const [page, opened, gaps, person] = await Promise.all([
    wrongUser ? null : listEvents(caller, { type: search.type ?? undefined, userUuid: user?.toLowerCase() }),
    search.event ? getEvent(caller, search.event) : null,
    may(caller.role, 'see-endpoint-health') ? listGaps(caller, { state: 'open', limit: 20 }) : noGaps,
    user === null || wrongUser ? null : nameUser(caller, user.toLowerCase()),
  ])
  return (
    <>
      <AlertSlot alerts={gapAlerts(gaps)} className="mt-4" />
      <Queries>
        <TimelineView
          rendered={{
            type: search.type,
            user,
            person,
            at,
            page,
            opened,
            mayReplay: may(caller.role, 'replay-deliveries'),
          }}
        />
      </Queries>
    </>
  )
}

const noGaps = { rows: [], next: null } as const
