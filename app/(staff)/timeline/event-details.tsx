'use client'

import { useQuery } from '@tanstack/react-query'
import { SendAgain } from '#components/endpoints/replays/send-again.tsx'
import { DeliveryList, EventFacts, timesReceived } from '#components/timeline/event-facts.tsx'
import { CameAgain } from '#components/timeline/event-marks.tsx'
import { fetchJson } from '#components/ui/browser/fetch-json.ts'
import { subjectPath } from '#components/ui/browser/paths.ts'
import { Fact, Facts } from '#components/ui/card.tsx'
import { Skeleton } from '#components/ui/empty-state.tsx'
import { Link } from '#components/ui/link.tsx'
import { EventBody } from '#components/ui/reveal/event-body.tsx'
import { PersonLink, SearchableText } from '#components/ui/search/searchable.tsx'
import { LoadError } from '#components/ui/shared/load-error.tsx'
import { Time } from '#components/ui/time.tsx'
import { doubtsOf } from '#lib/deliveries/labels/delivery-labels.ts'
import { parseSubjectId } from '#lib/deliveries/rules/subject.ts'
import type { EventDetailsView, EventView } from '#lib/timeline/event-view.ts'
import { eventLabel } from '#lib/timeline/labels/event-labels.ts'
import { eventTypeLabel } from '#lib/timeline/labels/event-type-labels.ts'
import { shortId } from '#lib/words/labels/formats.ts'
import { subjectLabel } from '#lib/words/labels/subject-labels.ts'
import { revealBodyAction } from '../actions.ts'
import { addressOf } from '../address-of.ts'

/** An open line shows the event's envelope, its deliveries and its body. */
export function EventDetails({
  event,
  details,
  mayReplay,
}: {
  readonly event: EventView
  readonly details: EventDetailsView | null
  readonly mayReplay: boolean
}) {
  const query = useQuery({
    queryKey: ['event', event.id, event.deliveries],
    queryFn: ({ signal }) =>
      fetchJson<EventDetailsView | null>(addressOf('/api/events', { id: event.id }), signal),
    ...(details ? { initialData: details } : {}),
  })
  const { meaning } = eventLabel(event)
  const subject = parseSubjectId(event.subjectId)
  const type = eventTypeLabel(event.type)
  return (
    <div className="grid grid-cols-[minmax(0,1fr)] gap-5">
      {/* The subject's page says who must act, because the subject may have moved on since, or be late. */}
      {meaning && <p className="max-w-3xl text-table">{meaning}</p>}
      <Facts className="max-w-3xl">
        <Fact name="type">
          <span className="mono">{event.type ?? '–'}</span>
          {type.meaning && <span className="text-muted"> {type.meaning}</span>}
        </Fact>
        <Fact name="subType">
          <span className="mono">{event.subType ?? '–'}</span>
        </Fact>
        <Fact name="data.status">
          <span className="mono">{event.status ?? '–'}</span>
        </Fact>
        <Fact name="uuid">
          {event.entityUuid ? <PersonLink userUuid={event.entityUuid} /> : '–'}
          {event.userEmail && (
            <span className="text-muted">
              {' '}
              <SearchableText text={event.userEmail} className="wrap-anywhere inline-block" />
            </span>
          )}
        </Fact>
        {subject && (
          <Fact name={subjectLabel(subject.kind, event.type)}>
            <Link href={subjectPath(event.subjectId)} className="mono underline underline-offset-2">
              {shortId(subject.id)}
            </Link>
          </Fact>
        )}
        <Fact name="Received">
          <Time at={event.firstReceivedAt} style="exact" className="num" />
          {event.placedBefore && (
            <span className="text-muted">
              , happened before <Time at={event.placedBefore} style="clock" />
            </span>
          )}
        </Fact>
        {event.cameAgainAt && (
          <Fact name="In doubt">
            <CameAgain event={event} />
          </Fact>
        )}
        {doubtsOf(event).map(({ flag, label, meaning, matters }) => (
          <Fact key={flag} name={label}>
            <span className={matters ? 'text-held' : 'text-muted'}>{meaning}</span>
          </Fact>
        ))}
      </Facts>
      {query.isError ? (
        <LoadError error={query.error} onRetry={() => void query.refetch()} />
      ) : query.isPending ? (
        // The height is that of the shortest details, so that the lines below hardly move.
        <Skeleton className="h-110 w-full" />
      ) : query.data === null ? (
        <p className="text-muted text-sm">This event is not here any more.</p>
      ) : (
        <>
          {/* This is below what is there from the click on, which does not move when this arrives. */}
          <EventFacts event={query.data} />
          <div>
            <h3 className="mb-2 font-title text-muted text-sm">
              {timesReceived(query.data.received.length)}
            </h3>
            <DeliveryList received={query.data.received} />
            {mayReplay && query.data.bodyLeft === null && <SendAgain eventId={event.id} />}
          </div>
          <div>
            <h3 className="mb-2 font-title text-muted text-sm">Body</h3>
            <EventBody event={query.data} label="Body of the event" reveal={revealBodyAction} />
          </div>
        </>
      )}
    </div>
  )
}
