'use client'

import { Command } from 'cmdk'
import type { LucideIcon } from 'lucide-react'
import type { ReactNode } from 'react'
import { parseSubjectId } from '#lib/domain/delivery/subject.ts'
import { eventLabel } from '#lib/labels/event-labels.ts'
import { eventTypeLabel } from '#lib/labels/event-type-labels.ts'
import { shortId } from '#lib/labels/short-id.ts'
import type { FoundSubject, Why } from '#lib/search/found.ts'
import { paidAmounts } from '../paid-amounts.tsx'
import { Marked } from '../search/marked.tsx'
import { WhyFound } from '../search/why-found.tsx'
import { StepPill } from '../step-pill.tsx'
import { Pill } from '../ui/pill.tsx'

/** A line of the palette. */
export function PaletteItem({
  value,
  icon: Icon,
  onSelect,
  detail,
  children,
}: {
  /** Tells it from all others. */
  readonly value: string
  readonly icon: LucideIcon
  readonly onSelect: () => void
  /** Quieter, at its end. */
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

/** A transaction or another subject in one line: its id, where it stands, how much, and why it was found. */
export function FoundSubjectLine({
  subject,
  why,
}: {
  readonly subject: FoundSubject
  readonly why: Why | undefined
}) {
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
