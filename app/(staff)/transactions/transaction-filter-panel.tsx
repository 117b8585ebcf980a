'use client'

import { type ReactNode, Suspense, useState } from 'react'
import type { ChosenPerson } from '#components/people/person-filter.tsx'
import { loadLater } from '#components/ui/browser/load-later.ts'
import { directions } from '#lib/deliveries/rules/steps.ts'
import type { FilterChoices } from '#lib/transactions/list-filter-choices.ts'
import { type FilterTexts, textPartsOf } from '#lib/transactions/rules/transaction-filters.ts'
import type { TransactionSort } from '#lib/transactions/rules/transaction-sort.ts'
import { MoreFiltersButton } from './more-filters-button.tsx'
import { MoreFiltersSkeleton } from './more-filters-skeleton.tsx'
import type { TransactionsSearch } from './search.ts'
import { TransactionFilterBar } from './transaction-filter-bar.tsx'

/** Fetched when somebody is about to open them, as most lists are read without them. */
const { Later: MoreFilters, prepare } = loadLater(
  async () => (await import('./more-filters.tsx')).MoreFilters,
)

/** Fetched with the first filter. */
const { Later: FilterTokens, prepare: prepareTokens } = loadLater(
  async () => (await import('./filter-tokens.tsx')).FilterTokens,
)

/** The filters of the list: those used most in a bar, the others behind a button, and below them each that holds. */
export function TransactionFilterPanel({
  search,
  choices,
  person,
  ordered,
  onFilters,
  onSort,
  onPerson,
  children,
}: {
  readonly search: TransactionsSearch
  readonly choices: FilterChoices
  /** Who the person of the filters is; null where only the id is known. */
  readonly person: string | null
  /** False where the order is not to be chosen. */
  readonly ordered: boolean
  readonly onFilters: (texts: FilterTexts) => void
  readonly onSort: (sort: TransactionSort | null) => void
  readonly onPerson: (person: ChosenPerson) => void
  /** What else can be done with the list. */
  readonly children?: ReactNode
}) {
  const [open, setOpen] = useState(false)
  return (
    <>
      <TransactionFilterBar
        direction={directions.find((each) => each === search.direction) ?? null}
        step={search.step}
        sort={search.sort}
        ordered={ordered}
        onPrepare={prepareTokens}
        onChange={({ direction, step, sort }) =>
          sort === search.sort ? onFilters({ direction, step }) : onSort(sort)
        }
      >
        {/* They go to another line together, where there is room for both. */}
        <span className="flex grow flex-wrap items-center justify-between gap-1.5">
          <MoreFiltersButton texts={search} open={open} onOpen={setOpen} onPrepare={prepare} />
          {children}
        </span>
      </TransactionFilterBar>
      {open && (
        <div className="mb-3 rounded-panel border bg-surface shadow-card">
          <Suspense fallback={<MoreFiltersSkeleton />}>
            <MoreFilters texts={search} choices={choices} onChange={onFilters} onPerson={onPerson} />
          </Suspense>
        </div>
      )}
      {textPartsOf(search).length > 0 && (
        // Their room, so that the list does not move when they come: React sends them after a page of this size.
        <Suspense fallback={<div className="mb-3 h-7.5 pointer-coarse:h-10" />}>
          <FilterTokens texts={search} person={person} onChange={onFilters} />
        </Suspense>
      )}
    </>
  )
}
