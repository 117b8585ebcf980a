'use client'

import { ArrowDownUp, BookUser, CornerDownRight, Landmark, Webhook } from 'lucide-react'
import { paidAmounts } from '#components/transactions/paid-amounts.tsx'
import { StepPill } from '#components/transactions/step-pill.tsx'
import { subjectPath } from '#components/ui/browser/subject-path.ts'
import { Pill } from '#components/ui/pill.tsx'
import { Marked } from '#components/ui/search/marked.tsx'
import { parseSubjectId } from '#lib/deliveries/rules/subject.ts'
import { ownValue } from '#lib/platform/rules/own-value.ts'
import type { Found, FoundSubject, Why } from '#lib/search/found.ts'
import { eventLabel } from '#lib/timeline/labels/event-labels.ts'
import { eventTypeLabel } from '#lib/timeline/labels/event-type-labels.ts'
import { shortId } from '#lib/words/labels/short-id.ts'
import { FoundBy, otherNames } from '../found-person.tsx'
import { shortDifference } from '../near-misses.tsx'
import { WhyFound } from '../why-found.tsx'
import type { FoundItem } from './found-items.ts'
import { PaletteItem } from './palette-item.tsx'

/** One thing that was found, which opens its page. */
export function FoundItemLine({
  item,
  why,
  go,
}: {
  readonly item: FoundItem
  readonly why: Found['why']
  readonly go: (href: string) => void
}) {
  const { value } = item
  if (item.kind === 'subject') {
    const { subject } = item
    return (
      <PaletteItem
        value={value}
        icon={'latest' in subject ? Landmark : ArrowDownUp}
        onSelect={() => go(subjectPath(subject.subjectId))}
      >
        <SubjectLine subject={subject} why={ownValue(why, subject.subjectId)} />
      </PaletteItem>
    )
  }
  if (item.kind === 'person') {
    const { person } = item
    return (
      <PaletteItem
        value={value}
        icon={BookUser}
        onSelect={() => go(`/users/${person.userUuid}`)}
        detail={otherNames(person).join(' · ')}
      >
        <FoundBy why={person.why} />
      </PaletteItem>
    )
  }
  if (item.kind === 'endpoint') {
    const { endpointUuid, name, status } = item.endpoint
    return (
      <PaletteItem
        value={value}
        icon={Webhook}
        onSelect={() => go(`/endpoints/${endpointUuid}`)}
        detail={`Endpoint · ${status}`}
      >
        {name}
      </PaletteItem>
    )
  }
  const { near } = item
  return (
    <PaletteItem
      value={value}
      icon={CornerDownRight}
      onSelect={() => go(subjectPath(near.subjectId))}
      detail={shortDifference(near)}
    >
      <span className="mono">{shortId(near.value)}</span>
    </PaletteItem>
  )
}

/** A transaction or another subject in one line: its id, where it stands, how much, and why it was found. */
function SubjectLine({ subject, why }: { readonly subject: FoundSubject; readonly why: Why | undefined }) {
  const id = parseSubjectId(subject.subjectId)?.id ?? subject.subjectId
  return (
    <span className="flex flex-wrap items-center gap-x-3 gap-y-0.5">
      <span className="mono">
        {why?.field === 'id' && id.length > 15 ? <Marked text={id} marks={why.marks} /> : shortId(id)}
      </span>
      {'latest' in subject ? (
        <>
          <Pill tone={eventLabel(subject.latest).tone}>{eventLabel(subject.latest).label}</Pill>
          <span className="text-muted text-xs">{eventTypeLabel(subject.latest.type).label}</span>
        </>
      ) : (
        <>
          <StepPill
            direction={subject.direction}
            step={subject.step}
            reason={subject.reason}
            stuck={subject.stuck}
            flags={subject.flags}
          />
          <span>{paidAmounts({ ...subject, conflict: subject.flags.includes('conflict') })[0].marked}</span>
          {subject.userEmail && why?.field !== 'email' && (
            <span className="text-muted text-xs max-sm:hidden">{subject.userEmail}</span>
          )}
        </>
      )}
      {why && why.field !== 'id' && <WhyFound why={why} />}
    </span>
  )
}
