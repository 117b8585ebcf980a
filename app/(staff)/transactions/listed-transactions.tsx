'use client'

import { Suspense } from 'react'
import { postJson } from '#components/ui/browser/fetch-json.ts'
import { loadLater } from '#components/ui/browser/loaded-later.ts'
import { ListCard, ListSkeleton } from '#components/ui/list/list-card.tsx'
import { defineList, usePages } from '#components/ui/list/use-list.ts'
import { totalLabel } from '#components/ui/shared/total-label.ts'
import {
  type FilterTexts,
  type TransactionSort,
  textPartsOf,
} from '#lib/transactions/rules/transaction-filters.ts'
import type { TransactionPage, TransactionView } from '#lib/transactions/transaction-view.ts'
import { type Rendered, type TransactionsSearch, transactionsUrl } from './search.ts'
import { SubjectsTable } from './subjects-table.tsx'

const { Later: NothingMatches } = loadLater(
  async () => (await import('./nothing-matches.tsx')).NothingMatches,
)
const { Later: ScannedTo } = loadLater(async () => (await import('./scanned-to.tsx')).ScannedTo)
const { Later: NoneYet } = loadLater(async () => (await import('./none-yet.tsx')).NoneYet)

/** The part is one page of the list. */
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
  const { cursor } = search
  const sort = search.sort ?? 'started'
  const list = useListedTransactions({
    path: listPath(search),
    isFirst: cursor === null,
    placeOf: transactionPlace[sort],
    rendered: { path: listPath(rendered.search), page: rendered.page, at: rendered.at },
  })
  const { reading, latest, loading } = list
  const { pages, ...ways } = usePages(cursor, loading ? null : (reading?.next ?? null), onCursor, (to) =>
    transactionsUrl('/transactions', { ...search, cursor: to }),
  )
  const filtered = textPartsOf(search).length > 0
  const total = latest?.total ?? null
  const scannedTo = reading?.scannedTo ?? null
  return (
    <ListCard
      name="Transactions"
      what="transactions"
      list={list}
      cursor={cursor}
      onCursor={onCursor}
      pages={ways}
      onTop={onTop}
      head={
        filtered &&
        (loading || (total && total.count > 0)) && (
          <p role="status" className="border-b px-3 py-2 text-muted text-sm">
            {total && !loading
              ? `${totalLabel(total)} ${total.count === 1 ? 'matches' : 'match'}`
              : 'Counting…'}
          </p>
        )
      }
      further={
        scannedTo !== null && (
          <Suspense fallback={<div className="h-12.5 border-t bg-hover" />}>
            <ScannedTo to={scannedTo} sort={sort} onFurther={ways.onOlder} />
          </Suspense>
        )
      }
      foot={total && totalLabel(total)}
      skeleton={(rows) => <TransactionsSkeleton rows={rows} />}
      empty={
        filtered ? (
          scannedTo === null && (
            <Suspense fallback={<TransactionsSkeleton rows={3} />}>
              <NothingMatches
                texts={search}
                person={person}
                withoutFilter={latest?.withoutFilter ?? []}
                onChange={onFilters}
              />
            </Suspense>
          )
        ) : (
          <Suspense fallback={<TransactionsSkeleton rows={3} />}>
            <NoneYet sandboxUrl={sandboxUrl} />
          </Suspense>
        )
      }
    >
      {(rows, gone) => <SubjectsTable first="Transaction" rows={rows} gone={gone} pages={pages} />}
    </ListCard>
  )
}

/** The list alone does not depend on a search. */
const listPath = (search: TransactionsSearch) =>
  transactionsUrl('/api/transactions', { ...search, search: null })

/** The skeleton replaces this many rows, which are blocks on narrow pages. */
export const TransactionsSkeleton = ({ rows }: { readonly rows: number }) => (
  <ListSkeleton
    rows={rows}
    what="transactions"
    rowClass="h-23.25 @4xl:h-11"
    head={<div className="hidden h-8.75 border-b @4xl:block" />}
  />
)

/** Amounts and statuses of every row change, so rows that newer ones pushed off the page are read again. */
const useListedTransactions = defineList<TransactionView, TransactionPage>({
  key: 'transactions',
  idOf: ({ uuid }) => uuid,
  renew: (uuids, signal) => postJson('/api/transactions/rows', { uuids }, signal),
})

/** Each order sorts by this value, from the top down. */
export const transactionPlace = {
  started: (row) => Date.parse(row.startedAt),
  moved: (row) => Date.parse(row.lastMoveAt),
  amount: (row) => Number(row.amountFiat ?? Number.NEGATIVE_INFINITY),
} satisfies Record<TransactionSort, (row: TransactionView) => number>
