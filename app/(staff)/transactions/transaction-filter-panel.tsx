'use client'

import { lazy, type ReactNode, Suspense, useState } from 'react'
import type { ChosenPerson } from '#components/users/person-filter.tsx'
import { directions } from '#lib/domain/delivery/steps.ts'
import type { FilterTexts } from '#lib/domain/transaction/transaction-filters.ts'
import type { TransactionSort } from '#lib/domain/transaction/transaction-sort.ts'
import type { FilterChoices } from '#lib/transactions/list-filter-choices.ts'
import { FilterTokens } from './filter-tokens.tsx'
import { MoreFiltersButton } from './more-filters-button.tsx'
import type { TransactionsSearch } from './search.ts'
import { TransactionFilterBar } from './transaction-filter-bar.tsx'

/** Fetched when they are opened, as most lists are read without them. */
const MoreFilters = lazy(async () => ({ default: (await import('./more-filters.tsx')).MoreFilters }))

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
        onChange={({ direction, step, sort }) =>
          sort === search.sort ? onFilters({ direction, step }) : onSort(sort)
        }
      >
        <MoreFiltersButton texts={search} open={open} onOpen={setOpen} />
        {children}
      </TransactionFilterBar>
      {open && (
        <Suspense>
          <MoreFilters texts={search} choices={choices} onChange={onFilters} onPerson={onPerson} />
        </Suspense>
      )}
      <FilterTokens texts={search} person={person} onChange={onFilters} />
    </>
  )
}
