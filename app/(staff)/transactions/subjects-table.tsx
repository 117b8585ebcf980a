'use client'

import { clsx } from 'clsx'
import { ArrowRight } from 'lucide-react'
import { type ComponentType, memo, useEffect, useState } from 'react'
import { paidAmounts } from '#components/transactions/paid-amounts.tsx'
import { directionLabel, StepPill, shortDirectionLabel } from '#components/transactions/step-pill.tsx'
import { type ListPages, rememberList } from '#components/ui/browser/remember-list.tsx'
import { useMayBeTable } from '#components/ui/browser/use-media.tsx'
import { SearchLink } from '#components/ui/search/search-link.tsx'
import { ListTable, Td, Th, Tr } from '#components/ui/table.tsx'
import { Time } from '#components/ui/time.tsx'
import type { FoundSubject, Why } from '#lib/search/found.ts'
import { chainLabel } from '#lib/transactions/labels/step-labels.ts'
import type { TransactionView } from '#lib/transactions/transaction-view.ts'
import { shortId } from '#lib/words/labels/formats.ts'
import type { OtherSubjectProps } from './other-subject-row.tsx'
import { CopyBeside, columns, type ListColumns, SubjectLink } from './subject-cells.tsx'

/** The list is a table on wide screens, and one block for each row otherwise. */
export function SubjectsTable({
  rows,
  first,
  gone,
  others,
  pages,
}: {
  readonly rows: readonly FoundSubject[]
  /** `first` is the heading of the first column. */
  readonly first: string
  readonly gone?: ReadonlySet<string>
  /** `others` draw subjects that are no transactions, when the list may have any. */
  readonly others?: {
    readonly Row: ComponentType<OtherSubjectProps & { readonly shown: ListColumns }>
    readonly Block: ComponentType<OtherSubjectProps>
    /** The matching field is below the id of a transaction. */
    readonly Field: ComponentType<{ readonly why: Why | undefined }>
    /** The first column also says why something was found, and is wider. */
    readonly columns: ListColumns
    /** `why` gives the reason of a match by its id. */
    readonly why: (id: string) => Why | undefined
  }
  /** A list of several pages goes on here. */
  readonly pages?: ListPages
}) {
  const { newer = null, older = null } = pages ?? {}
  useEffect(
    () =>
      rememberList(
        rows.flatMap((row) => ('latest' in row ? [] : row.uuid)),
        { newer, older },
      ),
    [rows, newer, older],
  )
  const mayBeTable = useMayBeTable()
  const shown = others?.columns ?? columns
  return (
    <div className="@container">
      {mayBeTable && (
        <div className="hidden @4xl:block">
          <ListTable>
            <thead>
              <tr>
                <Th className={shown.first ?? 'w-40'}>{first}</Th>
                <Th className="@min-[70rem]:w-48">Status</Th>
                <Th className={`w-32 ${shown.direction}`}>Direction</Th>
                <Th numeric className="w-40 @min-[58rem]:w-42">
                  From
                </Th>
                <Th numeric className="w-40 @min-[58rem]:w-42">
                  To
                </Th>
                <Th className={`w-26 pl-6 ${shown.chain}`}>Chain</Th>
                <Th className="@max-5xl:pl-6">Person</Th>
                <Th className={`w-30 ${shown.started}`}>Created</Th>
                <Th numeric className="w-25">
                  Updated
                </Th>
              </tr>
            </thead>
            <tbody>
              {rows.map((row) =>
                'latest' in row ? (
                  others && (
                    <others.Row
                      key={row.subjectId}
                      subject={row}
                      why={others?.why(row.subjectId)}
                      shown={shown}
                    />
                  )
                ) : (
                  <Row
                    key={row.subjectId}
                    row={row}
                    gone={gone?.has(row.uuid)}
                    why={others?.why(row.subjectId)}
                    Field={others?.Field}
                    shown={shown}
                  />
                ),
              )}
            </tbody>
          </ListTable>
        </div>
      )}
      <ul className="@4xl:hidden">
        {rows.map((row) =>
          'latest' in row ? (
            others && <others.Block key={row.subjectId} subject={row} why={others?.why(row.subjectId)} />
          ) : (
            <Block
              key={row.subjectId}
              row={row}
              gone={gone?.has(row.uuid)}
              why={others?.why(row.subjectId)}
              Field={others?.Field}
            />
          ),
        )}
      </ul>
    </div>
  )
}

interface RowProps {
  readonly row: TransactionView
  readonly gone: boolean | undefined
  readonly why: Why | undefined
  readonly Field: ComponentType<{ readonly why: Why | undefined }> | undefined
}

// Changes come up to ten times a second, and most rows stay as they are.
const Row = memo(function Row({ row, gone, why, Field, shown }: RowProps & { readonly shown: ListColumns }) {
  const moved = useMoved(row)
  const [paidIn, paidOut] = paidAmounts({ ...row, conflict: row.flags.includes('conflict') })
  return (
    <Tr
      className={clsx(
        'group relative hover:bg-hover has-[a:focus-visible]:bg-hover has-[a[aria-current]]:bg-hover',
        moved && 'animate-arrived',
        gone && '[&_td]:text-faint',
      )}
    >
      <Td className="overflow-visible! *:align-middle">
        <SubjectLink subjectId={row.subjectId} why={why} />
        <CopyBeside id={row.uuid} />
        {Field && <Field why={why} />}
      </Td>
      <Td>
        <span className="flex items-center gap-2">
          <StepPill {...row} />
          {gone && <span className="text-xs">moved on</span>}
        </span>
      </Td>
      <Td className={`text-muted ${shown.direction}`} title={directionLabel(row.direction)}>
        {shortDirectionLabel(row.direction)}
      </Td>
      <Td numeric className={wholeCell}>
        {paidIn.marked}
      </Td>
      <Td numeric className={wholeCell}>
        {paidOut.marked}
      </Td>
      <Td className={`pl-6 text-muted ${shown.chain}`}>
        {row.chain ? chainLabel(row.chain) : <span className="text-faint">–</span>}
      </Td>
      <Td className={`@max-5xl:pl-6 ${wholeCell}`}>{userOf(row)}</Td>
      <Td className={`num text-muted ${shown.started}`}>
        <Time at={row.startedAt} style="minute" />
      </Td>
      <Td numeric className="text-muted">
        <Time at={row.lastMoveAt} />
      </Td>
    </Tr>
  )
})

/** An amount or a person is never cut off: a text that is too long for its column breaks. */
const wholeCell = 'leading-tight [&_*]:whitespace-normal [overflow-wrap:anywhere]'

const Block = memo(function Block({ row, gone, why, Field }: RowProps) {
  const moved = useMoved(row)
  const [paidIn, paidOut] = paidAmounts({ ...row, conflict: row.flags.includes('conflict') })
  return (
    <li
      className={clsx(
        'relative grid grid-cols-[minmax(0,1fr)] gap-1.5 border-b px-4 py-3 text-table last:border-b-0 hover:bg-hover has-[a:focus-visible]:bg-hover has-[a[aria-current]]:bg-hover has-[a[aria-current]]:shadow-[inset_3px_0_0_var(--ink)]',
        moved && 'animate-arrived',
        gone && 'text-faint',
      )}
    >
      <div className="flex flex-wrap items-center justify-between gap-x-3 gap-y-1">
        <StepPill {...row} />
        <Time at={row.lastMoveAt} className="num text-muted text-xs" />
      </div>
      <div className="flex flex-wrap items-center gap-1.5 font-label">
        <span className={paidOut.value === null ? 'font-normal text-muted' : 'sr-only'}>
          {directionLabel(row.direction)}:
        </span>
        {paidIn.marked}
        {paidOut.value !== null && (
          <>
            <ArrowRight className="size-3.5 text-faint" aria-label="to" />
            {paidOut.marked}
          </>
        )}
        {row.chain && <span className="font-normal text-muted">on {chainLabel(row.chain)}</span>}
      </div>
      <div className="flex flex-wrap justify-between gap-x-3 text-muted text-xs">
        <SubjectLink subjectId={row.subjectId} className="text-text" why={why} />
        <span className="wrap-anywhere">{userOf(row)}</span>
      </div>
      {Field && <Field why={why} />}
    </li>
  )
})

/** One click searches for everything of this person. */
function userOf({ userEmail, userUuid }: TransactionView) {
  if (!userUuid) return userEmail ?? <span className="text-faint">–</span>
  return (
    <SearchLink text={userUuid} beside>
      {userEmail ?? <span className="mono">{shortId(userUuid)}</span>}
    </SearchLink>
  )
}

/** The transaction has moved since it was first shown. */
function useMoved(row: TransactionView): boolean {
  const [first] = useState(row.lastMoveAt)
  return first !== row.lastMoveAt
}
