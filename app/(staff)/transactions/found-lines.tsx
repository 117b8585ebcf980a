'use client'

import type { ReactNode } from 'react'
import { paidAmounts } from '#components/transactions/paid-amounts.tsx'
import { StepPill } from '#components/transactions/step-pill.tsx'
import { subjectPath } from '#components/ui/browser/paths.ts'
import { RememberList } from '#components/ui/browser/remember-list.tsx'
import { Card } from '#components/ui/card.tsx'
import { type AllowedExport, ExportButton } from '#components/ui/form/export-button.tsx'
import { Link } from '#components/ui/link.tsx'
import { Pill } from '#components/ui/pill.tsx'
import { RowPerson } from '#components/ui/search/searchable.tsx'
import { ListTable, Td, Th, Tr } from '#components/ui/table.tsx'
import type { Action } from '#lib/platform/forms/action-state.ts'
import type { FoundLine, LinkedFound } from '#lib/search/search.ts'
import { eventLabel } from '#lib/timeline/labels/event-labels.ts'
import { shortId } from '#lib/words/labels/formats.ts'
import { OtherField } from './other-subject-row.tsx'
import { SubjectLink } from './subject-cells.tsx'

/** Each line of a paste has its answer, in order; also "not here". */
export function FoundLines({
  found,
  lines,
  allowExport,
}: {
  readonly found: LinkedFound
  readonly lines: readonly FoundLine[]
  readonly allowExport: Action<AllowedExport> | null
}) {
  const { link, explanation } = found
  const transactions = lines.flatMap(({ subject }) =>
    subject === null || 'latest' in subject ? [] : subject.uuid,
  )
  return (
    <Card className="mt-4" aria-label="Answers">
      <RememberList uuids={transactions} />
      <div className="flex flex-wrap items-center justify-between gap-3 border-b px-3.5 py-2.5 text-sm">
        <p className="text-muted">
          {explanation}: one row for each, as they were pasted.
          {lines.some(({ nearNotSearched }) => nearNotSearched) &&
            ' Misspelt e-mail addresses are recognised only among ten or fewer.'}
        </p>
        {allowExport && link && (
          <ExportButton
            label="Export CSV"
            title="Export the answers?"
            description="A CSV file of each pasted line with its transaction, user ID and amounts. All admins are told."
            action={allowExport}
            fields={{ link }}
            address={`/api/search/${link}`}
          />
        )}
      </div>
      <div className="@container">
        <ListTable>
          <thead>
            <tr>
              <Th className="w-40">Pasted</Th>
              <Th>Answer</Th>
              <Th className="hidden w-40 @2xl:table-cell">Status</Th>
              <Th numeric className="hidden w-40 @4xl:table-cell">
                From
              </Th>
              <Th numeric className="hidden w-40 @4xl:table-cell">
                To
              </Th>
              <Th className="hidden w-40 @5xl:table-cell">Person</Th>
            </tr>
          </thead>
          <tbody>
            {lines.map((line, index) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: the same may have been pasted twice
              <LineRow key={index} line={line} />
            ))}
          </tbody>
        </ListTable>
      </div>
    </Card>
  )
}

function LineRow({ line }: { readonly line: FoundLine }) {
  const { text, subject } = line
  const transaction = subject && !('latest' in subject) ? subject : null
  const [paidIn, paidOut] = transaction
    ? paidAmounts({ ...transaction, conflict: transaction.flags.includes('conflict') })
    : []
  return (
    <Tr className="relative hover:bg-hover has-[a:focus-visible]:bg-hover">
      <Td className="mono" title={text}>
        {text.length > 30 && !/\s/.test(text) ? shortId(text) : text}
      </Td>
      <Td className="whitespace-normal! py-1.5">
        <Answer line={line} />
        <span className="mt-1 block @2xl:hidden">{stateOf(line)}</span>
      </Td>
      <Td className="hidden @2xl:table-cell">{stateOf(line)}</Td>
      <Td numeric className="hidden @4xl:table-cell">
        {paidIn?.marked}
      </Td>
      <Td numeric className="hidden @4xl:table-cell">
        {paidOut?.marked}
      </Td>
      <Td className="hidden @5xl:table-cell">{userOf(line)}</Td>
    </Tr>
  )
}

function userOf({ subject, person }: FoundLine): ReactNode {
  const known =
    subject === null
      ? person
      : 'latest' in subject
        ? { userUuid: subject.latest.entityUuid, email: subject.latest.userEmail }
        : { userUuid: subject.userUuid, email: subject.userEmail }
  if (!known?.userUuid) return known?.email
  return <RowPerson userUuid={known.userUuid} email={known.email} />
}

function Answer({ line }: { readonly line: FoundLine }) {
  const { answer, subject, person, why, count, near, explanation } = line
  if (subject)
    return (
      <>
        <SubjectLink subjectId={subject.subjectId} why={why ?? undefined} />
        {answer === 'several' && (
          <span className="ml-2 text-muted text-xs">newest of {count ?? 'more than 1,000'}</span>
        )}
        <OtherField why={why ?? undefined} />
      </>
    )
  if (person)
    return (
      <Link href={`/users/${person.userUuid}`} data-row className="row-link">
        {person.email ?? person.name ?? shortId(person.userUuid)}
        <span className="ml-2 text-muted text-xs">nothing received yet</span>
      </Link>
    )
  if (answer === 'not-understood')
    return <span className="text-muted text-xs">{explanation || 'Not understood'}</span>
  return (
    <>
      <span className="text-held">Not found</span>
      {near && (
        <span className="ml-2 text-xs">
          close to{' '}
          <Link href={subjectPath(near.subjectId)} data-row className="mono underline">
            {shortId(near.value)}
          </Link>
        </span>
      )}
    </>
  )
}

function stateOf({ subject }: FoundLine): ReactNode {
  if (!subject) return null
  if ('latest' in subject) {
    const { label, tone } = eventLabel(subject.latest)
    return <Pill tone={tone}>{label}</Pill>
  }
  return (
    <StepPill
      direction={subject.direction}
      step={subject.step}
      reason={subject.reason}
      stuck={subject.stuck}
      flags={subject.flags}
    />
  )
}
