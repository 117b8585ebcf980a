import { CameAgain, EventMarks } from '#components/timeline/event-marks.tsx'
import { subjectPath } from '#components/ui/browser/paths.ts'
import { Card } from '#components/ui/card.tsx'
import { EmptyState } from '#components/ui/empty-state.tsx'
import { Link } from '#components/ui/link.tsx'
import { PageLinks } from '#components/ui/list/page-links.tsx'
import { Pill } from '#components/ui/pill.tsx'
import { Time } from '#components/ui/time.tsx'
import type { EventPage, EventView } from '#lib/timeline/event-view.ts'
import { eventLabel } from '#lib/timeline/labels/event-labels.ts'
import { eventTypeLabel } from '#lib/timeline/labels/event-type-labels.ts'
import { latestWords } from '#lib/timeline/rules/subject-event.ts'
import { shortId } from '#lib/words/labels/formats.ts'

/** All events of a person or a company come newest first, of every type. Each opens its subject, or itself. */
export function PersonEvents({
  events: { rows, older },
  here,
  turned,
  isCompany = false,
}: {
  readonly events: EventPage
  readonly here: string
  /** `turned`: this is not the newest page. */
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
        <PageLinks
          newest={turned ? `${here}#timeline` : null}
          older={older && `${here}?before=${older}#timeline`}
        />
      </Card>
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
        {isLatestWord && <span className="text-muted text-xs">latest</span>}
        <EventMarks event={event} />
        <CameAgain event={event} className="basis-full" />
      </span>
      <span className="num text-muted text-xs">
        {event.deliveries > 1 && `${event.deliveries} deliveries`}
      </span>
    </li>
  )
}
