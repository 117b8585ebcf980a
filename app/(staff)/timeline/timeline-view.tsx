'use client'

import { Logs } from 'lucide-react'
import { useCallback, useState } from 'react'
import { FetchFailed } from '#components/browser/fetch-json.ts'
import { useAddress } from '#components/browser/use-address.ts'
import { useEscape } from '#components/browser/use-escape.ts'
import { useKeptPlace } from '#components/browser/use-kept-place.ts'
import { useRowKeys } from '#components/browser/use-row-keys.ts'
import { LoadError } from '#components/load-error.tsx'
import { Button } from '#components/ui/button.tsx'
import { ButtonLink } from '#components/ui/button-link.tsx'
import { Card } from '#components/ui/card.tsx'
import { Disclosure } from '#components/ui/disclosure.tsx'
import { EmptyState } from '#components/ui/empty-state.tsx'
import { FilterChip } from '#components/ui/filter-chip.tsx'
import { FilterToken, FilterTokenList } from '#components/ui/filter-token.tsx'
import { PersonFilter } from '#components/users/person-filter.tsx'
import { eventTypes } from '#lib/domain/delivery/event-types.ts'
import { eventTypeLabel, eventTypeLabels } from '#lib/labels/event-type-labels.ts'
import { shortId } from '#lib/labels/short-id.ts'
import { EventLine } from './event-line.tsx'
import { readTimelineSearch } from './search.ts'
import { TimelineSkeleton } from './timeline-skeleton.tsx'
import { type EventsAsked, type RenderedTimeline, useEvents } from './use-events.ts'

/** The events, live on top, older ones on request; one of them open. */
export function TimelineView({ rendered }: { readonly rendered: RenderedTimeline }) {
  const [search, setSearch] = useAddress(readTimelineSearch)
  const events = useEvents(search, rendered)
  const [named, setNamed] = useState<Readonly<Record<string, string>>>({})
  const { type, user } = search
  const filterBy = (changed: Partial<EventsAsked>) => setSearch({ ...changed, event: null }, 'push')
  useRowKeys()
  useEscape(search.event !== null, () => setSearch({ event: null }, 'replace'))
  useKeptPlace()
  const toggle = useCallback(
    (id: string) => setSearch({ event: search.event === id ? null : id }, 'replace'),
    [search.event, setSearch],
  )
  // An id that is none.
  const unreadable = events.error instanceof FetchFailed && events.error.status === 400
  const linked =
    rendered.opened &&
    rendered.opened.id === search.event &&
    !events.rows?.some(({ id }) => id === search.event)
      ? rendered.opened
      : null
  return (
    <>
      <fieldset className="mt-4 mb-3 flex flex-wrap items-center gap-2">
        <legend className="sr-only">Filters</legend>
        <FilterChip
          name="Type"
          value={type ?? ''}
          choices={choicesWith(type)}
          onChange={(chosen) => filterBy({ type: chosen === '' ? null : chosen })}
        />
        <Disclosure summary="Of one person">
          <PersonFilter
            onChoose={({ userUuid, name }) => {
              setNamed({ ...named, [userUuid]: name })
              filterBy({ user: userUuid })
            }}
          />
        </Disclosure>
      </fieldset>
      {(type !== null || user !== null) && (
        <FilterTokenList onClear={() => filterBy({ type: null, user: null })}>
          {type !== null && (
            <FilterToken onRemove={() => filterBy({ type: null })}>
              Type: <b className="font-title">{eventTypeLabel(type).label}</b>
            </FilterToken>
          )}
          {user !== null && (
            <FilterToken onRemove={() => filterBy({ user: null })}>
              Person:{' '}
              <b className="font-title">
                {named[user] ?? (rendered.user === user ? rendered.person : null) ?? shortId(user)}
              </b>
            </FilterToken>
          )}
        </FilterTokenList>
      )}
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
            onRetry={unreadable ? () => filterBy({ type: null, user: null }) : events.retry}
          />
        )}
        {events.rows === null ? (
          events.error === null && <TimelineSkeleton />
        ) : events.rows.length === 0 ? (
          <Empty type={type} user={user} onFilters={filterBy} />
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
              {events.olderFailed ? 'That failed. Try again' : 'Load older events'}
            </Button>
          </div>
        )}
      </Card>
    </>
  )
}

function Empty({
  type,
  user,
  onFilters,
}: EventsAsked & { readonly onFilters: (changed: Partial<EventsAsked>) => void }) {
  if (user !== null) {
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
              {type === null ? 'Everybody' : 'This type of everybody'}
            </Button>
          </>
        }
      />
    )
  }
  if (type) {
    return (
      <EmptyState
        icon={Logs}
        title="No event of this type yet"
        action={<Button onClick={() => onFilters({ type: null })}>Show all types</Button>}
      >
        It appears here by itself when one arrives. Is an endpoint subscribed to it?
      </EmptyState>
    )
  }
  return (
    <EmptyState
      icon={Logs}
      title="Nothing has arrived yet"
      action={
        <ButtonLink variant="primary" href="/endpoints">
          Set up an endpoint
        </ButtonLink>
      }
    >
      Every event appears here the moment the service delivers it to an endpoint that points to this
      dashboard.
    </EmptyState>
  )
}

/** The types of the contract, and the one asked for when it is another. */
function choicesWith(type: string | null): (readonly [string, string])[] {
  const known = eventTypes.map((each) => [each, eventTypeLabels[each].label] as const)
  return type === null || known.some(([each]) => each === type) ? known : [...known, [type, type]]
}
