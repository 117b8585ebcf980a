import { isDirection } from '#lib/domain/delivery/steps.ts'
import type { EventDetailsView } from '#lib/events/event-view.ts'
import { eventLabel } from '#lib/labels/event-labels.ts'
import { eventTypeLabel } from '#lib/labels/event-type-labels.ts'
import { toneIcons } from '../ui/pill.tsx'
import { Time } from '../ui/time.tsx'

/** What happened to one's own transaction, newest first, in the words of the contract. */
export function OwnTimeline({ events }: { readonly events: readonly EventDetailsView[] }) {
  return (
    <ol>
      {events.toReversed().map((event) => (
        <TimelineEvent key={event.id} event={event} />
      ))}
    </ol>
  )
}

function TimelineEvent({ event }: { readonly event: EventDetailsView }) {
  const { label, meaning, tone } = eventLabel(event)
  const Icon = toneIcons[tone]
  const words = isDirection(event.type) ? meaning : (meaning ?? eventTypeLabel(event.type).meaning)
  return (
    <li data-tone={tone} className="group relative flex gap-3.5 pb-6 last:pb-0">
      <span aria-hidden className="absolute top-7 bottom-0 left-[13px] w-0.5 bg-line group-last:hidden" />
      <span className="grid size-7 shrink-0 place-items-center rounded-full bg-tone-bg text-tone">
        <Icon className="size-3.5 [stroke-width:2.4]" aria-hidden />
      </span>
      <div className="min-w-0 flex-1 pt-0.5">
        <p className="flex flex-wrap items-baseline justify-between gap-x-4">
          <span className="font-strong">{label}</span>
          <span className="num text-muted text-sm">
            {event.placedBefore ? (
              <>
                before <Time at={event.placedBefore} style="clock" />
              </>
            ) : (
              <Time at={event.firstReceivedAt} style="clock" />
            )}
          </span>
        </p>
        {words && <p className="text-muted text-table">{words}</p>}
      </div>
    </li>
  )
}
