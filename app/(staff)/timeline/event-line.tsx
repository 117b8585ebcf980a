'use client'

import { useQuery } from '@tanstack/react-query'
import { clsx } from 'clsx'
import { ChevronRight } from 'lucide-react'
import Link from 'next/link'
import { memo } from 'react'
import { Amount } from '#components/amount.tsx'
import { fetchJson } from '#components/browser/fetch-json.ts'
import { subjectPath } from '#components/browser/subject-path.ts'
import { DeliveryList, timesReceived } from '#components/delivery-list.tsx'
import { EventFacts } from '#components/event-facts.tsx'
import { CameAgain, EventMarks } from '#components/event-marks.tsx'
import { LoadError } from '#components/load-error.tsx'
import { SendAgain } from '#components/replays/send-again.tsx'
import { EventBody } from '#components/reveal/event-body.tsx'
import { PersonLink } from '#components/search/person-link.tsx'
import { Fact, Facts } from '#components/ui/card.tsx'
import { Pill } from '#components/ui/pill.tsx'
import { Skeleton } from '#components/ui/skeleton.tsx'
import { Time } from '#components/ui/time.tsx'
import { parseSubjectId } from '#lib/domain/delivery/subject.ts'
import type { EventDetailsView, EventView } from '#lib/events/event-view.ts'
import { doubtsOf } from '#lib/labels/delivery-labels.ts'
import { eventLabel } from '#lib/labels/event-labels.ts'
import { eventTypeLabel } from '#lib/labels/event-type-labels.ts'
import { shortId } from '#lib/labels/short-id.ts'
import { subjectLabels } from '#lib/labels/subject-labels.ts'
import { revealBodyAction } from '../actions.ts'
import { eventApiUrl } from './search.ts'

/**
 * One event in a line; open, with its envelope, its deliveries and its body. While events arrive many times a second, only the
 * lines are drawn of which something is new.
 */
export const EventLine = memo(function EventLine({
  event,
  details,
  open,
  fresh = false,
  mayReplay,
  onToggle,
}: {
  readonly event: EventView
  /** What is known of it already, if anything. */
  readonly details: EventDetailsView | null
  readonly open: boolean
  readonly fresh?: boolean
  readonly mayReplay: boolean
  readonly onToggle: (id: string) => void
}) {
  const { label, tone } = eventLabel(event)
  const type = eventTypeLabel(event.type).label
  const id = idOf(event)
  const panel = `event-${event.id}`
  return (
    <li className={clsx('border-b last:border-b-0', fresh && 'animate-arrived')}>
      <button
        type="button"
        data-row
        aria-expanded={open}
        aria-controls={open ? panel : undefined}
        onClick={() => onToggle(event.id)}
        className={clsx(
          'grid w-full grid-cols-[auto_minmax(0,1fr)_auto] items-center gap-x-3 gap-y-1 px-3 py-2.5 text-left text-table hover:bg-hover focus-visible:-outline-offset-2',
          '@4xl:grid-cols-[auto_7.5rem_minmax(0,1.3fr)_minmax(0,1fr)_7.5rem_6.5rem_minmax(0,1fr)_5rem]',
          open && 'bg-hover',
        )}
      >
        <ChevronRight className={clsx('size-3.5 text-faint', open && 'rotate-90')} aria-hidden />
        <Time
          at={event.cameAgainAt ?? event.firstReceivedAt}
          style="clock"
          className="mono order-3 text-muted @4xl:order-none"
        />
        <span className="flex min-w-0 flex-wrap items-center gap-x-2 gap-y-1">
          <Pill tone={tone} className="max-w-full">
            <span className="truncate" title={label}>
              {label}
            </span>
          </Pill>
          <EventMarks event={event} />
          {event.unreadable && <span className="text-held text-xs">Unreadable</span>}
        </span>
        <span
          title={type}
          className="order-4 col-start-2 truncate text-muted @4xl:order-none @4xl:col-start-auto"
        >
          {type}
        </span>
        <span className="mono order-6 col-start-2 text-muted empty:hidden @4xl:order-none @4xl:col-start-auto @4xl:empty:inline">
          {id && shortId(id)}
        </span>
        <span className="order-7 justify-self-end truncate text-muted empty:hidden @4xl:order-none @4xl:w-full @4xl:text-right @4xl:empty:inline">
          {event.amount && <Amount value={event.amount.amountFiat} currency={event.amount.currencyFiat} />}
        </span>
        <span className="order-8 col-span-2 col-start-2 truncate text-muted @4xl:order-none @4xl:col-span-1 @4xl:col-start-auto @4xl:text-text">
          {event.userEmail ?? (event.entityUuid && <span className="mono">{shortId(event.entityUuid)}</span>)}
        </span>
        <span className="num order-5 justify-self-end text-muted text-xs @4xl:order-none">
          {event.deliveries > 1 && `${event.deliveries} deliveries`}
        </span>
        <CameAgain
          event={event}
          className="order-9 col-span-2 col-start-2 @4xl:order-none @4xl:col-span-full @4xl:col-start-2"
        />
      </button>
      {open && (
        <section id={panel} aria-label="Event" className="border-t bg-bg px-4 py-4 sm:px-9">
          <EventDetailsPanel event={event} details={details} mayReplay={mayReplay} />
        </section>
      )}
    </li>
  )
})

/** What it is about, where that has an id beside the person's. */
function idOf({ subjectId, entityUuid }: EventView): string | null {
  const subject = parseSubjectId(subjectId)
  return subject && subject.kind !== 'unknown' && subject.id !== entityUuid ? subject.id : null
}

function EventDetailsPanel({
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
      fetchJson<EventDetailsView | null>(eventApiUrl('/api/events', { id: event.id }), signal),
    ...(details ? { initialData: details } : {}),
  })
  const { meaning, next } = eventLabel(event)
  const subject = parseSubjectId(event.subjectId)
  const type = eventTypeLabel(event.type)
  return (
    <div className="grid grid-cols-[minmax(0,1fr)] gap-5">
      {(meaning ?? next) && (
        <div className="max-w-3xl">
          <p className="text-table">
            {meaning} <span className="text-muted">{next}</span>
          </p>
          {query.data && <EventFacts event={query.data} />}
        </div>
      )}
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
          {event.userEmail && <span className="text-muted"> {event.userEmail}</span>}
        </Fact>
        {subject && (
          <Fact name={subjectLabels[subject.kind]}>
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
        <Skeleton className="h-40 w-full" />
      ) : query.data === null ? (
        <p className="text-muted text-sm">This event is not here any more.</p>
      ) : (
        <>
          <div>
            <h3 className="mb-2 font-title text-muted text-sm">
              {timesReceived(query.data.received.length)}
            </h3>
            <DeliveryList received={query.data.received} />
            {mayReplay && <SendAgain eventId={event.id} />}
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
