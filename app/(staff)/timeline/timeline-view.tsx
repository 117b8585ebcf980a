'use client'

import { Logs } from 'lucide-react'
import { type RefCallback, useCallback, useState, useSyncExternalStore } from 'react'
import { CheckEndpoints } from '#components/endpoints/check-endpoints.tsx'
import { PersonFilter } from '#components/people/person-filter.tsx'
import { isPaletteOpen, subscribeToPalette } from '#components/search/palette/palette-state.ts'
import { FetchFailed } from '#components/ui/browser/fetch-json.ts'
import { useKeptPlace } from '#components/ui/browser/kept-place.ts'
import { useEscape, useRowKeys } from '#components/ui/browser/row-keys.tsx'
import { useAddress } from '#components/ui/browser/use-address.ts'
import { Button } from '#components/ui/button.tsx'
import { Card } from '#components/ui/card.tsx'
import { Disclosure } from '#components/ui/disclosure.tsx'
import { EmptyState } from '#components/ui/empty-state.tsx'
import { FilterBar } from '#components/ui/list/filter-bar.tsx'
import type { ListFilter } from '#components/ui/list/filter-chips.tsx'
import { ListSkeleton, useListTop } from '#components/ui/list/list-card.tsx'
import { NewRows } from '#components/ui/list/new-rows.tsx'
import { LoadError } from '#components/ui/shared/load-error.tsx'
import { eventFilterLabels } from '#lib/deliveries/labels/delivery-labels.ts'
import { eventTypes } from '#lib/deliveries/rules/event-types.ts'
import { everyStep, isDirection, stepsOf } from '#lib/deliveries/rules/steps.ts'
import { eventTypeLabels } from '#lib/timeline/labels/event-type-labels.ts'
import { eventFilterFlags } from '#lib/timeline/rules/subject-event.ts'
import { stepLabel } from '#lib/transactions/labels/step-labels.ts'
import { shortId } from '#lib/words/labels/formats.ts'
import { EventLine } from './event-line.tsx'
import { type EventsAsked, everyEvent, readTimelineSearch } from './search.ts'
import { type RenderedTimeline, useEvents } from './use-events.ts'

/** The newest events arrive live at the top, and older ones come on request. One event may be open. */
export function TimelineView({ rendered }: { readonly rendered: RenderedTimeline }) {
  const [search, setSearch, shown] = useAddress(readTimelineSearch)
  const [top, isAtTop] = useInSight()
  const [place, goToTop] = useListTop()
  const isCovered = useSyncExternalStore(subscribeToPalette, isPaletteOpen, () => false)
  const events = useEvents(search, rendered, !isAtTop || isCovered || search.event !== null)
  const [named, setNamed] = useState<ReadonlyMap<string, string>>(new Map())
  const filterBy = (changed: Partial<EventsAsked>) => setSearch({ ...changed, event: null }, 'push')
  useRowKeys()
  useEscape(search.event !== null, () => setSearch({ event: null }, 'replace'))
  useKeptPlace(shown)
  const toggle = useCallback(
    (id: string) => setSearch({ event: search.event === id ? null : id }, 'replace'),
    [search.event, setSearch],
  )
  // The id is invalid, or the filter is not for this reader.
  const unreadable = events.error instanceof FetchFailed && [400, 403].includes(events.error.status)
  const linked =
    rendered.opened &&
    rendered.opened.id === search.event &&
    !events.rows?.some(({ id }) => id === search.event)
      ? rendered.opened
      : null
  const filters = filtersOf(search, rendered, named)
  return (
    <>
      <FilterBar filters={filters} onChange={filterBy}>
        <Disclosure summary="Person">
          <PersonFilter
            onChoose={({ userUuid, name }) => {
              setNamed(new Map(named).set(userUuid, name))
              filterBy({ user: userUuid })
            }}
          />
        </Disclosure>
      </FilterBar>
      <div ref={top} />
      <NewRows
        count={events.waiting?.count ?? 0}
        hasMore={events.waiting?.hasMore}
        what="events"
        onShow={() => {
          events.showNew()
          goToTop()
        }}
      />
      <div ref={place} tabIndex={-1} className="outline-none">
        {linked && (
          <Card aria-label="The event of this link" className="@container mb-4">
            <ol>
              <EventLine
                event={linked}
                details={linked}
                open
                mayReplay={rendered.mayReplay}
                onToggle={toggle}
              />
            </ol>
          </Card>
        )}
        <Card aria-label="Events" className="@container">
          {events.error !== null && (
            <LoadError
              error={events.error}
              onRetry={unreadable ? () => filterBy(everyEvent) : events.retry}
            />
          )}
          {events.rows === null ? (
            events.error === null && <ListSkeleton rows={10} what="events" rowClass="h-17 @4xl:h-11.25" />
          ) : events.rows.length === 0 ? (
            <Empty search={search} further={events.older !== null} onFilters={filterBy} />
          ) : (
            <ol>
              {events.rows.map((event) => (
                <EventLine
                  key={event.id}
                  event={event}
                  details={rendered.opened?.id === event.id ? rendered.opened : null}
                  open={search.event === event.id}
                  fresh={events.arrived.has(event.id)}
                  mayReplay={rendered.mayReplay}
                  onToggle={toggle}
                />
              ))}
            </ol>
          )}
          {events.older && (
            <div className="border-t p-2.5 text-center">
              <Button size="sm" onClick={events.loadOlder} pending={events.loadingOlder}>
                {events.olderFailed
                  ? 'That failed. Try again'
                  : isFiltered(search)
                    ? 'Search further'
                    : 'Load older events'}
              </Button>
            </div>
          )}
        </Card>
      </div>
    </>
  )
}

function Empty({
  search: { type, user, ...search },
  further,
  onFilters,
}: {
  readonly search: EventsAsked
  /** `further`: there are older events that were not read yet. */
  readonly further: boolean
  readonly onFilters: (changed: Partial<EventsAsked>) => void
}) {
  if (isFiltered(search))
    return (
      <EmptyState
        icon={Logs}
        title={further ? 'None of the newest events matches these filters' : 'No event matches these filters'}
        action={<Button onClick={() => onFilters(everyEvent)}>Clear the filters</Button>}
      >
        {further && 'Older events were not searched yet. '}New matches appear automatically.
      </EmptyState>
    )
  if (user !== null)
    return (
      <EmptyState
        icon={Logs}
        title={
          type === null
            ? 'Nothing was received about this person yet'
            : 'No event of this type about this person yet'
        }
        action={
          <>
            {type !== null && (
              <Button onClick={() => onFilters({ type: null })}>All types of this person</Button>
            )}
            <Button onClick={() => onFilters({ user: null })}>
              {type === null ? 'Everybody' : 'This type, all people'}
            </Button>
          </>
        }
      />
    )
  if (type)
    return (
      <EmptyState
        icon={Logs}
        title="No event of this type yet"
        action={<Button onClick={() => onFilters({ type: null })}>Show all types</Button>}
      >
        New events appear automatically. Check that an endpoint is subscribed to this type.
      </EmptyState>
    )
  return (
    <EmptyState icon={Logs} title="Nothing has arrived yet" action={<CheckEndpoints variant="primary" />}>
      Events appear here as soon as the provider delivers them to this dashboard.
    </EmptyState>
  )
}

/** No index holds this filter, so events are read through, a limited number for each page. */
const isFiltered = ({ step, endpoint, flag }: Pick<EventsAsked, 'step' | 'endpoint' | 'flag'>) =>
  step !== null || endpoint !== null || flag !== null

function filtersOf(
  { type, step, user, endpoint, flag }: EventsAsked,
  { sources, ...rendered }: RenderedTimeline,
  named: ReadonlyMap<string, string>,
): ListFilter[] {
  const direction = isDirection(type) ? type : null
  const steps: readonly string[] = direction ? stepsOf[direction] : everyStep
  const nameOf = (uuid: string) => sources.find((each) => each.uuid === uuid)?.name ?? shortId(uuid)
  return [
    {
      name: 'type',
      label: 'Type',
      value: type,
      choices: eventTypes.map((each) => [each, eventTypeLabels[each].label]),
      changes: (chosen) => (chosen !== null && !isDirection(chosen) ? { step: null } : {}),
    },
    {
      name: 'step',
      label: 'Status',
      value: step,
      choices: steps.map((each) => [each, stepLabel(direction, each).label]),
      text: stepLabel(direction, step).label,
      changes: (chosen) => (chosen !== null && direction === null ? { type: null } : {}),
    },
    {
      name: 'endpoint',
      label: 'Endpoint',
      value: endpoint,
      choices: sources.map(({ uuid }) => [uuid, nameOf(uuid)]),
      text: nameOf(endpoint ?? ''),
    },
    {
      name: 'flag',
      label: 'Flag',
      value: flag,
      choices: eventFilterFlags.map((each) => [each, eventFilterLabels[each]]),
    },
    {
      name: 'user',
      label: 'Person',
      value: user,
      // The person is found by a search.
      choices: [],
      text: named.get(user ?? '') ?? (rendered.user === user ? rendered.person : null) ?? shortId(user ?? ''),
    },
  ]
}

/**
 * The element's place is in the window or further down, so the reader has not passed it. False until the browser
 * has drawn the page.
 */
function useInSight(): [ref: RefCallback<Element>, isInSight: boolean] {
  const [isInSight, setInSight] = useState(false)
  const ref = useCallback((element: Element) => {
    const observer = new IntersectionObserver((entries) => {
      const entry = entries.at(-1)
      if (entry) setInSight(entry.isIntersecting || entry.boundingClientRect.top > 0)
    })
    observer.observe(element)
    return () => observer.disconnect()
  }, [])
  return [ref, isInSight]
}
