'use client'

import { type ReactNode, Suspense, useState } from 'react'
import type { ChosenPerson } from '#components/people/person-filter.tsx'
import { loadLater } from '#components/ui/browser/loaded-later.ts'
import { FilterChips, type ListFilter } from '#components/ui/list/filter-chips.tsx'
import { directions, everyStep, stepsOf } from '#lib/deliveries/rules/steps.ts'
import type { FilterChoices } from '#lib/transactions/filters.ts'
import { directionLabels, stepLabel } from '#lib/transactions/labels/step-labels.ts'
import {
  type FilterTexts,
  type TransactionSort,
  textPartsOf,
  transactionSorts,
} from '#lib/transactions/rules/transaction-filters.ts'
import { MoreFiltersButton, MoreFiltersSkeleton } from './more-filters-button.tsx'
import type { TransactionsSearch } from './search.ts'

/** The filters load when somebody is about to open them, because most readers use the list without them. */
const { Later: MoreFilters, prepare } = loadLater(
  async () => (await import('./more-filters.tsx')).MoreFilters,
)

/** The tokens load with the first filter. */
const { Later: HeldFilters, prepare: prepareTokens } = loadLater(
  async () => (await import('./filter-value.tsx')).HeldFilters,
)

/** The most used filters of the list are in a bar, the others behind a button, and each active one is below them. */
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
  /** `person` names the person of the filters; null when only the id is known. */
  readonly person: string | null
  /** `ordered` is false when the reader cannot choose the order. */
  readonly ordered: boolean
  readonly onFilters: (texts: FilterTexts) => void
  readonly onSort: (sort: TransactionSort | null) => void
  readonly onPerson: (person: ChosenPerson) => void
  /** `children` act on the list. */
  readonly children?: ReactNode
}) {
  const [open, setOpen] = useState(false)
  const { direction, step, sort } = search
  const known = directions.find((each) => each === direction) ?? null
  const steps: readonly string[] = known ? stepsOf[known] : everyStep
  const filters: ListFilter[] = [
    {
      name: 'direction',
      label: 'Direction',
      value: known,
      choices: directions.map((each) => [each, directionLabels[each]]),
      changes: (chosen) => {
        const next = directions.find((each) => each === chosen)
        return next && step && !stepsOf[next].some((each) => each === step) ? { step: null } : {}
      },
    },
    {
      name: 'step',
      label: 'Status',
      value: step,
      choices: steps.map((each) => [each, stepLabel(known, each).label]),
      text: stepLabel(known, step).label,
    },
    {
      name: 'sort',
      label: 'Order',
      none: sortLabels.started,
      value: sort,
      choices: ordered ? otherSorts.map((each) => [each, sortLabels[each]]) : [],
    },
  ]
  return (
    <>
      <FilterChips
        filters={filters}
        onPointerEnter={prepareTokens}
        onFocus={prepareTokens}
        onChange={({ sort: chosen, ...texts }) =>
          chosen === undefined
            ? onFilters(texts)
            : onSort(transactionSorts.find((each) => each === chosen) ?? null)
        }
      >
        {/* Both move to another line together, when there is room for both. */}
        <span className="flex grow flex-wrap items-center justify-between gap-1.5">
          <MoreFiltersButton texts={search} open={open} onOpen={setOpen} onPrepare={prepare} />
          {children}
        </span>
      </FilterChips>
      {open && (
        <div className="mb-3 rounded-panel border bg-surface shadow-card">
          <Suspense fallback={<MoreFiltersSkeleton />}>
            <MoreFilters texts={search} choices={choices} onChange={onFilters} onPerson={onPerson} />
          </Suspense>
        </div>
      )}
      {textPartsOf(search).length > 0 && (
        // The room is kept, so that the list does not move when the tokens come: React sends them after a page of
        // this size.
        <Suspense fallback={<div className="mb-3 h-7.5 pointer-coarse:h-10" />}>
          <HeldFilters texts={search} person={person} onChange={onFilters} />
        </Suspense>
      )}
    </>
  )
}

const otherSorts = transactionSorts.filter((each) => each !== 'started')

const sortLabels = {
  started: 'Newest',
  moved: 'Recently updated',
  amount: 'Largest fiat amount',
} satisfies Record<TransactionSort, string>
