'use client'

import { clsx } from 'clsx'
import { ChevronRight } from 'lucide-react'
import { memo, Suspense } from 'react'
import { CameAgain, EventMarks } from '#components/timeline/event-marks.tsx'
import { loadLater } from '#components/ui/browser/loaded-later.ts'
import { Skeleton } from '#components/ui/empty-state.tsx'
import { Pill } from '#components/ui/pill.tsx'
import { Amount } from '#components/ui/shared/amount.tsx'
import { Time } from '#components/ui/time.tsx'
import { parseSubjectId } from '#lib/deliveries/rules/subject.ts'
import type { EventDetailsView, EventView } from '#lib/timeline/event-view.ts'
import { eventLabel } from '#lib/timeline/labels/event-labels.ts'
import { eventTypeLabel } from '#lib/timeline/labels/event-type-labels.ts'
import { shortId } from '#lib/words/labels/formats.ts'

/** The details load when somebody is about to open an event. */
const { Later: EventDetails, prepare } = loadLater(
  async () => (await import('./event-details.tsx')).EventDetails,
)

/**
 * An event is a line, which opens its envelope, its deliveries and its body. While events arrive many times a
 * second, only changed lines are drawn.
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
  /** `details` are known already; null when they are not. */
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
  const several = event.deliveries > 1
  return (
    <li className={clsx('border-b last:border-b-0', fresh && 'animate-arrived')}>
      <button
        type="button"
        data-row
        onPointerEnter={prepare}
        onFocus={prepare}
        aria-expanded={open}
        aria-controls={open ? panel : undefined}
        onClick={() => onToggle(event.id)}
        className={clsx(
          'event-line w-full print:grid! items-center gap-x-3 gap-y-1 px-3 py-2.5 text-left text-table hover:bg-hover focus-visible:-outline-offset-2',
          open && 'bg-hover',
        )}
      >
        <ChevronRight className={clsx('size-3.5 text-faint', open && 'rotate-90')} aria-hidden />
        <Time
          at={event.cameAgainAt ?? event.firstReceivedAt}
          style="clock"
          className="mono order-3 justify-self-end text-muted @4xl:order-none @4xl:justify-self-start"
        />
        <span className="flex min-w-0 flex-wrap items-center gap-x-2 gap-y-1">
          <Pill tone={tone} className="@4xl:whitespace-nowrap">
            {label}
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
        <span className="mono wrap-anywhere order-6 col-start-2 text-muted empty:hidden @4xl:order-none @4xl:col-start-auto @4xl:empty:inline">
          {id && shortId(id)}
        </span>
        <span className="order-7 wrap-anywhere justify-self-end text-muted leading-tight empty:hidden @4xl:order-none @4xl:w-full @4xl:text-right @4xl:empty:inline">
          {event.amount && <Amount {...event.amount} />}
        </span>
        <span
          title={event.userEmail ?? event.entityUuid ?? undefined}
          className={clsx(
            'wrap-anywhere order-8 col-span-2 col-start-2 text-muted @4xl:order-none @4xl:col-start-auto @4xl:pl-3 @4xl:text-text',
            several && '@4xl:col-span-1',
          )}
        >
          {event.userEmail ?? (event.entityUuid && <span className="mono">{shortId(event.entityUuid)}</span>)}
        </span>
        {several && (
          <span className="num order-5 justify-self-end text-muted text-xs @4xl:order-none">
            {event.deliveries} deliveries
          </span>
        )}
        <CameAgain
          event={event}
          className="order-9 col-span-2 col-start-2 @4xl:order-none @4xl:col-span-full @4xl:col-start-2"
        />
      </button>
      {open && (
        <section id={panel} aria-label="Event" className="border-t bg-bg px-4 py-4 sm:px-9">
          <Suspense fallback={<Skeleton className="h-176 w-full" />}>
            <EventDetails event={event} details={details} mayReplay={mayReplay} />
          </Suspense>
        </section>
      )}
    </li>
  )
})

/** The event is about this id; null when it has none beside the person's. */
function idOf({ subjectId, entityUuid }: EventView): string | null {
  const subject = parseSubjectId(subjectId)
  return subject && subject.kind !== 'unknown' && subject.id !== entityUuid ? subject.id : null
}
