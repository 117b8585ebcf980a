import type { Metadata } from 'next'
import { notFound, redirect } from 'next/navigation'
import { decodePathPart } from '#components/browser/decode-path-part.ts'
import { subjectPath } from '#components/browser/subject-path.ts'
import { UndecidedState } from '#components/event-marks.tsx'
import { RefreshOnChange } from '#components/live/refresh-on-change.tsx'
import { ButtonLink } from '#components/ui/button-link.tsx'
import { Pill } from '#components/ui/pill.tsx'
import { ShortId } from '#components/ui/short-id.tsx'
import { Time } from '#components/ui/time.tsx'
import { TimesNote } from '#components/ui/time-zone.tsx'
import { requirePage } from '#lib/auth/require-page.ts'
import { may } from '#lib/domain/access/roles.ts'
import { isPseudonym } from '#lib/domain/delivery/erase-envelope.ts'
import { parseSubjectId, subjectId } from '#lib/domain/delivery/subject.ts'
import { getSubject, type SubjectDetailsView } from '#lib/events/get-subject.ts'
import { eventLabel } from '#lib/labels/event-labels.ts'
import { eventTypeLabel } from '#lib/labels/event-type-labels.ts'
import { shortId } from '#lib/labels/short-id.ts'
import { subjectLabel, subjectLabels } from '#lib/labels/subject-labels.ts'
import { readWordsOfAll } from '../../../read-words.ts'
import { decidingEventView, lastReceivedAt } from '../../deciding-event.ts'
import { EventTimeline } from '../../event-timeline.tsx'

interface Props {
  readonly params: Promise<{ readonly subject: string }>
}

export async function generateMetadata({ params }: Props): Promise<Metadata> {
  const subject = parseSubjectId(decodePathPart((await params).subject))
  return { title: subject ? `${subjectLabels[subject.kind]} ${shortId(subject.id)}` : 'Timeline' }
}

/**
 * What has no page of its own, such as an event that names nobody: its events in order. Nothing is streamed before it is known
 * to exist.
 */
export default async function SubjectPage({ params }: Props) {
  const text = decodePathPart((await params).subject)
  const path = subjectPath(text)
  const caller = await requirePage('see-everything', path)
  if (!path.startsWith('/timeline/')) redirect(path)
  const details = await getSubject(caller, text)
  if (!details) notFound()
  return (
    <>
      <RefreshOnChange subjects={[subjectId(details.subject)]} />
      <Heading {...details} />
      <div className="mt-5 grid max-w-4xl gap-5">
        <EventTimeline
          events={details.events}
          mayReplay={may(caller.role, 'replay-deliveries')}
          words={{ all: await readWordsOfAll(), first: null }}
        />
      </div>
      <p className="mt-4 text-muted text-sm">
        <TimesNote />
      </p>
    </>
  )
}

function Heading({ subject, events }: SubjectDetailsView) {
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
          {of?.userEmail && <span>{of.userEmail}</span>}
          {latest && (
            <span>
              last word <Time at={lastReceivedAt(events)} style="clock" className="num" />
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
