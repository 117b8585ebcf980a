import type { Metadata } from 'next'
import { gapAlerts } from '#components/endpoints/gaps/gap-callout.tsx'
import { Queries } from '#components/ui/live/queries.tsx'
import { PageHeader } from '#components/ui/page-header.tsx'
import { AlertSlot } from '#components/ui/shared/alert-slot.tsx'
import { TimesNote } from '#components/ui/time.tsx'
import type { Caller } from '#lib/access/caller.ts'
import { may } from '#lib/access/rules/roles.ts'
import { listGaps } from '#lib/endpoints/gaps/gaps.ts'
import { requirePage } from '#lib/identity/sessions/read-request.ts'
import { listEventSources, listEvents, readEventFilters } from '#lib/timeline/list-events.ts'
import { getEvent } from '#lib/timeline/subject-details.ts'
import { nameUser } from '#lib/transactions/filters.ts'
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
  // The browser asks again and shows what is wrong.
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
