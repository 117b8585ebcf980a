import { UndecidedState } from '#components/timeline/event-marks.tsx'
import { ButtonLink } from '#components/ui/link.tsx'
import { Pill } from '#components/ui/pill.tsx'
import { SearchableText } from '#components/ui/search/searchable.tsx'
import { ShortId } from '#components/ui/short-id.tsx'
import { Time } from '#components/ui/time.tsx'
import { isPseudonym } from '#lib/deliveries/rules/erase-envelope.ts'
import { eventLabel } from '#lib/timeline/labels/event-labels.ts'
import { eventTypeLabel } from '#lib/timeline/labels/event-type-labels.ts'
import type { SubjectDetailsView } from '#lib/timeline/subject-details.ts'
import { subjectLabel } from '#lib/words/labels/subject-labels.ts'
import { decidingEventView, lastReceivedAt } from '../../event-timeline.tsx'

/** The heading says what the subject is, its state, and whom it concerns. */
export function SubjectHeading({ subject, events }: SubjectDetailsView) {
  const latest = decidingEventView(events)
  const { label, tone } = eventLabel(latest ?? { type: null, subType: null, status: null })
  const of = events.findLast(({ entityUuid }) => entityUuid !== null)
  return (
    <header className="flex flex-wrap items-end justify-between gap-x-6 gap-y-3">
      <div className="min-w-0">
        <p className="flex flex-wrap items-center gap-2.5 text-muted text-sm">
          <Pill tone={tone}>{label}</Pill>
          {eventTypeLabel(latest?.type ?? null).label}
        </p>
        <h1 className="mt-2 font-heading text-xl tracking-[-0.017em]">
          {subjectLabel(subject.kind, latest?.type ?? null)}
        </h1>
        <p className="mt-1 flex flex-wrap items-center gap-x-2 text-muted text-table">
          <ShortId id={subject.id} whole className="text-sm" />
          {of?.userEmail && <SearchableText text={of.userEmail} className="wrap-anywhere" />}
          {latest && (
            <span>
              Updated <Time at={lastReceivedAt(events)} style="clock" className="num" />
            </span>
          )}
        </p>
        <UndecidedState events={events} />
      </div>
      {of?.entityUuid && !isPseudonym(of.entityUuid) && (
        <ButtonLink href={`/users/${encodeURIComponent(of.entityUuid)}`}>
          {of.userEmail ?? 'Whom it concerns'}
        </ButtonLink>
      )}
    </header>
  )
}
