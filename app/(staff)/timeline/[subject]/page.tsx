import type { Metadata } from 'next'
import { notFound, redirect } from 'next/navigation'
import { decodePathPart, subjectPath } from '#components/ui/browser/paths.ts'
import { RefreshOnChange } from '#components/ui/live/refresh.tsx'
import { TimesNote } from '#components/ui/time.tsx'
import { may } from '#lib/access/rules/roles.ts'
import { parseSubjectId, subjectId } from '#lib/deliveries/rules/subject.ts'
import { requirePage } from '#lib/identity/sessions/read-request.ts'
import { getSubject } from '#lib/timeline/subject-details.ts'
import { shortId } from '#lib/words/labels/formats.ts'
import { subjectLabels } from '#lib/words/labels/subject-labels.ts'
import { readWordsOfAll } from '../../../read-words.ts'
import { EventTimeline } from '../../event-timeline.tsx'
import { SubjectHeading } from './subject-heading.tsx'

interface Props {
  readonly params: Promise<{ readonly subject: string }>
}

export async function generateMetadata({ params }: Props): Promise<Metadata> {
  const subject = parseSubjectId(decodePathPart((await params).subject))
  return { title: subject ? `${subjectLabels[subject.kind]} ${shortId(subject.id)}` : 'Timeline' }
}

/**
 * A subject without its own page, such as an event that names nobody, has this page with its events in order. It
 * streams nothing before the subject is known to exist.
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
      <SubjectHeading {...details} />
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
