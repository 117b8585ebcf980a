'use client'

import { Logs } from 'lucide-react'
import { useQueryStates } from 'nuqs'
import { LoadError } from '#components/load-error.tsx'
import { Button, ButtonLink } from '#components/ui/button.tsx'
import { Card } from '#components/ui/card.tsx'
import { EmptyState } from '#components/ui/empty-state.tsx'
import { FilterChip } from '#components/ui/filter-chip.tsx'
import { useEscape } from '#components/use-escape.ts'
import { useRowKeys } from '#components/use-row-keys.ts'
import { eventTypes } from '#lib/domain/delivery/event-types.ts'
import { eventTypeLabels } from '#lib/labels/event-type-labels.ts'
import { EventLine } from './event-line.tsx'
import { timelineSearch } from './search.ts'
import { TimelineSkeleton } from './timeline-skeleton.tsx'
import { type RenderedTimeline, useEvents } from './use-events.ts'

/** The events, live on top, older ones on request; one of them open. */
export function TimelineView({ rendered }: { readonly rendered: RenderedTimeline }) {
  const [search, setSearch] = useQueryStates(timelineSearch)
  const events = useEvents(search.type, rendered)
  useRowKeys()
  useEscape(search.event !== null, () => void setSearch({ event: null }, { history: 'replace' }))
  const toggle = (id: string) => setSearch({ event: search.event === id ? null : id }, { history: 'replace' })
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
          value={search.type ?? ''}
          choices={choicesWith(search.type)}
          onChange={(type) =>
            setSearch({ type: type === '' ? null : type, event: null }, { history: 'push' })
          }
        />
      </fieldset>
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
        {events.error !== null && <LoadError error={events.error} onRetry={events.retry} />}
        {events.rows === null ? (
          events.error === null && <TimelineSkeleton />
        ) : events.rows.length === 0 ? (
          <Empty type={search.type} onClear={() => setSearch({ type: null }, { history: 'push' })} />
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

function Empty({ type, onClear }: { readonly type: string | null; readonly onClear: () => void }) {
  if (type) {
    return (
      <EmptyState
        icon={Logs}
        title="No event of this type yet"
        action={<Button onClick={onClear}>Show all types</Button>}
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
