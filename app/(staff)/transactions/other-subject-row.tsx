import type { ReactNode } from 'react'
import { WhyFound } from '#components/search/why-found.tsx'
import { Pill } from '#components/ui/pill.tsx'
import { SearchLink } from '#components/ui/search/search-link.tsx'
import { Td, Tr } from '#components/ui/table.tsx'
import { Time } from '#components/ui/time.tsx'
import { parseSubjectId } from '#lib/deliveries/rules/subject.ts'
import type { OtherSubject, Why } from '#lib/search/found.ts'
import { eventLabel } from '#lib/timeline/labels/event-labels.ts'
import { eventTypeLabel } from '#lib/timeline/labels/event-type-labels.ts'
import { shortId } from '#lib/words/labels/formats.ts'
import { CopyBeside, type ListColumns, SubjectLink } from './subject-cells.tsx'

// The subject is no transaction and moves no money, but is in the columns of the list of transactions.

export interface OtherSubjectProps {
  readonly subject: OtherSubject
  readonly why: Why | undefined
}

export function OtherSubjectRow({
  subject,
  why,
  shown,
}: OtherSubjectProps & { readonly shown: ListColumns }) {
  const { subjectId, latest, startedAt } = subject
  const { label, tone } = eventLabel(latest)
  const type = eventTypeLabel(latest.type).label
  return (
    <Tr className="group relative hover:bg-hover has-[a:focus-visible]:bg-hover">
      <Td className="overflow-visible! *:align-middle">
        <SubjectLink subjectId={subjectId} why={why} />
        <CopyBeside id={parseSubjectId(subjectId)?.id ?? subjectId} />
        <OtherField why={why} />
      </Td>
      <Td>
        <Pill tone={tone}>{label}</Pill>
      </Td>
      <Td className={`text-muted ${shown.direction}`} title={type}>
        {type}
      </Td>
      <Td colSpan={2} className="text-muted" title={type}>
        <span className="@min-[87rem]:hidden">{type}</span>
      </Td>
      <Td className={shown.chain} />
      <Td className="@max-5xl:pl-6" title={latest.userEmail ?? undefined}>
        {userOf(latest)}
      </Td>
      <Td className={`num text-muted ${shown.started}`}>
        <Time at={startedAt} style="minute" />
      </Td>
      <Td numeric className="text-muted">
        <Time at={latest.firstReceivedAt} />
      </Td>
    </Tr>
  )
}

export function OtherSubjectBlock({ subject, why }: OtherSubjectProps) {
  const { subjectId, latest } = subject
  const { label, tone } = eventLabel(latest)
  return (
    <li className="relative grid gap-1.5 border-b px-4 py-3 text-table last:border-b-0">
      <div className="flex flex-wrap items-center justify-between gap-x-3 gap-y-1">
        <Pill tone={tone}>{label}</Pill>
        <Time at={latest.firstReceivedAt} className="num text-muted text-xs" />
      </div>
      <div className="wrap-anywhere font-label">{eventTypeLabel(latest.type).label}</div>
      <div className="flex flex-wrap justify-between gap-x-3 text-muted text-xs">
        <SubjectLink subjectId={subjectId} className="text-text" why={why} />
        <span className="min-w-0 truncate" title={latest.userEmail ?? undefined}>
          {userOf(latest)}
        </span>
      </div>
      <OtherField why={why} />
    </li>
  )
}

function userOf({ userEmail, entityUuid }: OtherSubject['latest']): ReactNode {
  if (!entityUuid) return userEmail ?? <span className="text-faint">–</span>
  return (
    <SearchLink text={entityUuid} beside>
      {userEmail ?? <span className="mono">{shortId(entityUuid)}</span>}
    </SearchLink>
  )
}

/** The matching field is below the id when it is another field. */
export const OtherField = ({ why }: { readonly why: Why | undefined }) =>
  why && why.field !== 'id' ? (
    <span className="block max-w-60 truncate pb-1">
      <WhyFound why={why} />
    </span>
  ) : null
