'use client'

import { Command } from 'cmdk'
import { ArrowDownUp, BookUser, CornerDownRight, Landmark, type LucideIcon, Webhook } from 'lucide-react'
import type { ReactNode } from 'react'
import { endpointStatusLabel } from '#components/endpoints/endpoint-labels.ts'
import { paidAmounts } from '#components/transactions/paid-amounts.tsx'
import { StepPill } from '#components/transactions/step-pill.tsx'
import { subjectPath } from '#components/ui/browser/paths.ts'
import { Pill } from '#components/ui/pill.tsx'
import { Marked } from '#components/ui/search/marked.tsx'
import { parseSubjectId } from '#lib/deliveries/rules/subject.ts'
import { ownValue } from '#lib/platform/rules/names.ts'
import type { Found, FoundEndpoint, FoundPerson, FoundSubject, NearMiss, Why } from '#lib/search/found.ts'
import { eventLabel } from '#lib/timeline/labels/event-labels.ts'
import { eventTypeLabel } from '#lib/timeline/labels/event-type-labels.ts'
import { shortId } from '#lib/words/labels/formats.ts'
import { FoundBy, otherNames, shortDifference } from '../near-misses.tsx'
import { WhyFound } from '../why-found.tsx'

/** The line opens the page of one result. */
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
        detail={`Endpoint · ${endpointStatusLabel(status).label}`}
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

/** The line shows a transaction or another subject: its id, state, amount, and why it was found. */
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

/** A search found this item; `value` tells it from all other lines of the palette. */
type FoundItem = { readonly value: string } & (
  | { readonly kind: 'subject'; readonly subject: FoundSubject }
  | { readonly kind: 'person'; readonly person: FoundPerson }
  | { readonly kind: 'endpoint'; readonly endpoint: FoundEndpoint }
  | { readonly kind: 'near'; readonly near: NearMiss }
)

/** The palette lists at most this many of each kind; the list of results has them all. */
const [mostSubjects, mostPeople] = [6, 4]

/**
 * The items are in the order of the palette, and Enter opens the first: a person or subject that the text names
 * comes before what was found through them.
 */
export function foundItems({ exact, named, rows, people, endpoints, near }: Found): readonly FoundItem[] {
  const subjects = [...named, ...rows]
    .slice(0, mostSubjects)
    .map((subject) => ({ kind: 'subject', value: `subject ${subject.subjectId}`, subject }) as const)
  const persons = people
    .slice(0, mostPeople)
    .map((person) => ({ kind: 'person', value: `person ${person.userUuid}`, person }) as const)
  return [
    ...(exact === null ? [...persons, ...subjects] : [...subjects, ...persons]),
    ...endpoints.map(
      (endpoint) => ({ kind: 'endpoint', value: `endpoint ${endpoint.endpointUuid}`, endpoint }) as const,
    ),
    ...near.map((one) => ({ kind: 'near', value: `near ${one.value}`, near: one }) as const),
  ]
}

export function PaletteItem({
  value,
  icon: Icon,
  onSelect,
  detail,
  children,
}: {
  /** `value` tells the line from all others. */
  readonly value: string
  readonly icon: LucideIcon
  readonly onSelect: () => void
  /** `detail` is at the end of the line, in grey. */
  readonly detail?: string
  readonly children: ReactNode
}) {
  return (
    <Command.Item
      value={value}
      onSelect={onSelect}
      className="flex min-h-9 cursor-pointer items-center gap-3 rounded-md px-2.5 py-1 text-sm pointer-coarse:min-h-10 data-[selected=true]:bg-hover data-[selected=true]:shadow-[inset_3px_0_0_var(--focus)]"
    >
      <Icon className="size-4 shrink-0 text-muted" aria-hidden />
      <span className="wrap-anywhere min-w-0 flex-1">{children}</span>
      {detail && <span className="wrap-anywhere max-w-[45%] shrink-0 text-muted text-xs">{detail}</span>}
    </Command.Item>
  )
}
