import { latestWords } from '#lib/domain/timeline/latest-words.ts'
import type { EventPage, EventView } from '#lib/events/event-view.ts'
import { eventLabel } from '#lib/labels/event-labels.ts'
import { eventTypeLabel } from '#lib/labels/event-type-labels.ts'
import { shortId } from '#lib/labels/short-id.ts'
import { subjectPath } from '../browser/subject-path.ts'
import { CameAgain, EventMarks } from '../event-marks.tsx'
import { ButtonLink } from '../ui/button-link.tsx'
import { Card } from '../ui/card.tsx'
import { EmptyState } from '../ui/empty-state.tsx'
import { Link } from '../ui/link.tsx'
import { Pill } from '../ui/pill.tsx'
import { Time } from '../ui/time.tsx'

/** Everything that happened to a person or a company, of every type, newest first; each opens what it is about, or itself. */
export function PersonEvents({
  events: { rows, older },
  here,
  turned,
  isCompany = false,
}: {
  readonly events: EventPage
  readonly here: string
  /** Not the newest page. */
  readonly turned: boolean
  readonly isCompany?: boolean
}) {
  const latest = turned ? new Set<string>() : latestWords(rows)
  return (
    <section id="timeline" aria-label="Timeline">
      <h2 className="mb-2 font-title text-muted text-sm">Timeline</h2>
      <Card>
        {rows.length > 0 ? (
          <ol>
            {rows.map((event) => (
              <Line key={event.id} event={event} here={here} isLatestWord={latest.has(event.id)} />
            ))}
          </ol>
        ) : (
          <EmptyState title={`Nothing was received about this ${isCompany ? 'company' : 'person'} yet`} />
        )}
      </Card>
      {(older || turned) && (
        <div className="mt-3 flex justify-end gap-1.5">
          {turned && (
            <ButtonLink size="sm" href={`${here}#timeline`}>
              Newest
            </ButtonLink>
          )}
          {older && (
            <ButtonLink size="sm" href={`${here}?before=${older}#timeline`}>
              Older
            </ButtonLink>
          )}
        </div>
      )}
    </section>
  )
}

function Line({
  event,
  here,
  isLatestWord,
}: {
  readonly event: EventView
  readonly here: string
  readonly isLatestWord: boolean
}) {
  const { label, tone } = eventLabel(event)
  const about = subjectPath(event.subjectId)
  return (
    <li className="relative grid gap-x-4 gap-y-1 border-b px-3.5 py-2.5 text-table last:border-b-0 hover:bg-hover sm:grid-cols-[7.5rem_minmax(0,1fr)_auto]">
      <Time at={event.cameAgainAt ?? event.firstReceivedAt} style="clock" className="mono text-muted" />
      <span className="flex min-w-0 flex-wrap items-center gap-x-2 gap-y-1">
        <Link href={about === here ? `/timeline?event=${event.id}` : about} data-row className="row-link">
          {eventTypeLabel(event.type).label}
        </Link>
        <Pill tone={tone}>{label}</Pill>
        {event.transactionUuid && (
          <span className="mono text-muted text-sm" title={event.transactionUuid}>
            {shortId(event.transactionUuid)}
          </span>
        )}
        {isLatestWord && <span className="text-muted text-xs">latest word</span>}
        <EventMarks event={event} />
        <CameAgain event={event} className="basis-full" />
      </span>
      <span className="num text-muted text-xs">
        {event.deliveries > 1 && `${event.deliveries} deliveries`}
      </span>
    </li>
  )
}
