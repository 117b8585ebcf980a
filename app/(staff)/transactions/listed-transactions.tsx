'use client'

import { Suspense } from 'react'
import { FetchFailed } from '#components/ui/browser/fetch-json.ts'
import { loadLater } from '#components/ui/browser/loaded-later.ts'
import { Card } from '#components/ui/card.tsx'
import { NewRows } from '#components/ui/live/new-rows.tsx'
import { Pagination } from '#components/ui/pagination.tsx'
import { LoadError } from '#components/ui/shared/load-error.tsx'
import { totalLabel } from '#components/ui/shared/total-label.ts'
import { Skeleton } from '#components/ui/skeleton.tsx'
import { type FilterTexts, textPartsOf } from '#lib/transactions/rules/transaction-filters.ts'
import type { Rendered } from './rendered.ts'
import type { TransactionsSearch } from './search.ts'
import { SubjectsTable } from './subjects-table.tsx'
import { useListedTransactions, usePages } from './use-listed-transactions.ts'

const { Later: NothingMatches } = loadLater(
  async () => (await import('./nothing-matches.tsx')).NothingMatches,
)
const { Later: ScannedTo } = loadLater(async () => (await import('./scanned-to.tsx')).ScannedTo)
const { Later: NoneYet } = loadLater(async () => (await import('./none-yet.tsx')).NoneYet)

/**
 * The part is one page of the list. Rows update in place; new ones wait behind a bar until the reader asks for
 * them.
 */
export function ListedTransactions({
  search,
  onCursor,
  onFilters,
  person,
  rendered,
  sandboxUrl,
  onTop,
}: {
  readonly search: TransactionsSearch
  readonly onCursor: (cursor: string | null) => void
  readonly onFilters: (texts: FilterTexts) => void
  /** `person` names the person of the filters. */
  readonly person: string | null
  readonly rendered: Rendered
  readonly sandboxUrl: string | null
  /** `onTop` goes to the top of the list. */
  readonly onTop: () => void
}) {
  const list = useListedTransactions(search, rendered)
  const { cursor } = search
  const { onNewer, onOlder, pages } = usePages(search, list.loading ? null : list.next, onCursor)
  const filtered = textPartsOf(search).length > 0
  const refused = cursor !== null && list.error instanceof FetchFailed && list.error.status === 400
  return (
    <>
      <NewRows
        count={list.newCount}
        hasMore={list.hasMoreNew}
        what="transactions"
        // The room is kept, so that nothing moves when new rows arrive.
        className="top-[calc(var(--above-list,3.375rem)+2.75rem)] -mt-2.5 h-8"
        onShow={() => {
          list.showNew()
          onTop()
        }}
      />
      <Card aria-label="Transactions" aria-busy={list.loading}>
        {filtered && (list.loading || (list.total && list.total.count > 0)) && (
          <p role="status" className="border-b px-3 py-2 text-muted text-sm">
            {list.total && !list.loading
              ? `${totalLabel(list.total)} ${list.total.count === 1 ? 'matches' : 'match'}`
              : 'Counting…'}
          </p>
        )}
        {list.error !== null && (
          <LoadError error={list.error} onRetry={refused ? () => onCursor(null) : list.retry} />
        )}
        {list.rows === null ? (
          list.error === null && <TransactionsSkeleton rows={12} />
        ) : list.rows.length > 0 ? (
          <SubjectsTable first="Transaction" rows={list.rows} gone={list.noLongerMatching} pages={pages} />
        ) : list.loading ? (
          <TransactionsSkeleton rows={3} />
        ) : filtered ? (
          list.scannedTo === null && (
            <Suspense fallback={<TransactionsSkeleton rows={3} />}>
              <NothingMatches
                texts={search}
                person={person}
                withoutFilter={list.withoutFilter}
                onChange={onFilters}
              />
            </Suspense>
          )
        ) : (
          <Suspense fallback={<TransactionsSkeleton rows={3} />}>
            <NoneYet sandboxUrl={sandboxUrl} />
          </Suspense>
        )}
        {list.scannedTo !== null && (
          <Suspense fallback={<div className="h-12.5 border-t bg-hover" />}>
            <ScannedTo to={list.scannedTo} sort={search.sort ?? 'started'} onFurther={onOlder} />
          </Suspense>
        )}
        {list.rows && (list.rows.length > 0 || cursor) && (
          <Pagination pending={list.loading} onNewer={onNewer} onOlder={onOlder}>
            {list.total && totalLabel(list.total)}
          </Pagination>
        )}
      </Card>
    </>
  )
}

/** The skeleton replaces this many rows, each with its later height. */
export function TransactionsSkeleton({ rows }: { readonly rows: number }) {
  return (
    <div role="status" className="@container">
      <span className="sr-only">Loading transactions</span>
      <div className="hidden h-8.75 border-b @4xl:block" />
      {widths.slice(0, rows).map((width, row) => (
        <div
          // biome-ignore lint/suspicious/noArrayIndexKey: placeholders have no other key
          key={row}
          className="flex h-23.25 items-center gap-6 border-b px-4 last:border-b-0 @4xl:h-11 @4xl:px-3"
        >
          <Skeleton className="h-3.5 w-28" />
          <Skeleton className="h-5 w-24" />
          <Skeleton className={`hidden h-3.5 @4xl:block ${width}`} />
          <Skeleton className="ml-auto hidden h-3.5 w-20 @4xl:block" />
          <Skeleton className="hidden h-3.5 w-24 @4xl:block" />
          <Skeleton className="hidden h-3.5 w-32 @5xl:block" />
          <Skeleton className="hidden h-3.5 w-14 @5xl:block" />
        </div>
      ))}
    </div>
  )
}

const widths = [
  'w-32',
  'w-36',
  'w-32',
  'w-28',
  'w-36',
  'w-32',
  'w-36',
  'w-28',
  'w-32',
  'w-36',
  'w-32',
  'w-28',
]
