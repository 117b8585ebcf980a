import { Amount } from '#components/amount.tsx'
import { subjectPath } from '#components/browser/subject-path.ts'
import { EventMarks } from '#components/event-marks.tsx'
import { Card } from '#components/ui/card.tsx'
import { Link } from '#components/ui/link.tsx'
import { Pill } from '#components/ui/pill.tsx'
import { Time } from '#components/ui/time.tsx'
import type { EventView } from '#lib/events/event-view.ts'
import { eventLabel } from '#lib/labels/event-labels.ts'
import { eventTypeLabel } from '#lib/labels/event-type-labels.ts'
import { shortId } from '#lib/labels/short-id.ts'

/** What else was received about the same person at that time; it explains nothing by itself, but one may want to look. */
export function NearbyCard({
  events,
  userUuid,
}: {
  readonly events: readonly EventView[]
  readonly userUuid: string
}) {
  return (
    <Card
      title="Same person, within a day"
      aside={
        <Link href={`/users/${userUuid}`} className="text-sm underline underline-offset-2">
          All
        </Link>
      }
    >
      <ul className="@container -mx-2">
        {events.map((event) => {
          const { label, tone } = eventLabel(event)
          return (
            <li
              key={event.id}
              className="relative grid grid-cols-[minmax(0,1fr)] items-baseline gap-x-2.5 gap-y-1 rounded-md px-2 py-1.5 text-table hover:bg-hover @min-[15rem]:grid-cols-[minmax(0,1fr)_auto]"
            >
              <span className="flex flex-wrap items-center gap-x-2.5 gap-y-1">
                <Link href={subjectPath(event.subjectId)} className="row-link">
                  {eventTypeLabel(event.type).label}
                </Link>
                <Pill tone={tone}>{label}</Pill>
                <EventMarks event={event} />
                {event.amount ? (
                  <Amount value={event.amount.value} currency={event.amount.currency} />
                ) : (
                  event.transactionUuid && (
                    <span className="mono text-muted text-sm" title={event.transactionUuid}>
                      {shortId(event.transactionUuid)}
                    </span>
                  )
                )}
              </span>
              <Time
                at={event.firstReceivedAt}
                style="minute"
                className="num whitespace-nowrap text-muted text-sm"
              />
            </li>
          )
        })}
      </ul>
    </Card>
  )
}
