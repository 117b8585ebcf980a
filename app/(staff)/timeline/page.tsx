import type { Metadata } from 'next'
import { AlertSlot } from '#components/alerts/alert-slot.tsx'
import { gapAlerts } from '#components/gaps/gap-alerts.tsx'
import { Queries } from '#components/live/queries.tsx'
import { PageHeader } from '#components/ui/page-header.tsx'
import { TimesNote } from '#components/ui/time-zone.tsx'
import { requirePage } from '#lib/auth/require-page.ts'
import { may } from '#lib/domain/access/roles.ts'
import { readEventFilters } from '#lib/events/event-filters.ts'
import { getEvent } from '#lib/events/get-event.ts'
import { listEventSources } from '#lib/events/list-event-sources.ts'
import { listEvents } from '#lib/events/list-events.ts'
import { listGaps } from '#lib/gaps/list-gaps.ts'
import type { Caller } from '#lib/request/caller.ts'
import { nameUser } from '#lib/transactions/name-user.ts'
import { addressOf, type GivenQuery, queryOf } from '../address-of.ts'
import { readTimelineSearch, type TimelineSearch } from './search.ts'
import { TimelineActions } from './timeline-actions.tsx'
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
      <Events caller={caller} search={search} />
    </>
  )
}

async function Events({ caller, search }: { readonly caller: Caller; readonly search: TimelineSearch }) {
  const at = Date.now()
  const { event, ...asked } = search
  const filters = readEventFilters(asked)
  const seesEndpoints = may(caller.role, 'see-endpoint-health')
  // The browser asks again, and is told what is wrong.
  const isRefused = filters === null || (asked.endpoint !== null && !seesEndpoints)
  const [page, opened, gaps, sources, person] = await Promise.all([
    isRefused ? null : listEvents(caller, filters),
    event ? getEvent(caller, event) : null,
    seesEndpoints ? listGaps(caller, { state: 'open', limit: 20 }) : noGaps,
    seesEndpoints ? listEventSources(caller) : [],
    filters?.userUuid ? nameUser(caller, filters.userUuid) : null,
  ])
  return (
    <>
      <AlertSlot alerts={gapAlerts(gaps)} className="mt-4" />
      <Queries>
        <TimelineView
          rendered={{
            ...asked,
            person,
            sources,
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
