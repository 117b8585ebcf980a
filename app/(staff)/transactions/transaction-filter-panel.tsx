'use client'

import { type ReactNode, Suspense, useState } from 'react'
import type { ChosenPerson } from '#components/people/person-filter.tsx'
import { loadLater } from '#components/ui/browser/loaded-later.ts'
import { FilterChip } from '#components/ui/filter-chip.tsx'
import { type Direction, directions, everyStep, stepsOf } from '#lib/deliveries/rules/steps.ts'
import type { FilterChoices } from '#lib/transactions/filters.ts'
import { stepLabel } from '#lib/transactions/labels/step-labels.ts'
import { directionLabels } from '#lib/transactions/labels/transaction-labels.ts'
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
const { Later: FilterTokens, prepare: prepareTokens } = loadLater(
  async () => (await import('./filter-tokens.tsx')).FilterTokens,
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
        {/* Both move to another line together, when there is room for both. */}
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
        // The room is kept, so that the list does not move when the tokens come: React sends them after a page of
        // this size.
        <Suspense fallback={<div className="mb-3 h-7.5 pointer-coarse:h-10" />}>
          <FilterTokens texts={search} person={person} onChange={onFilters} />
        </Suspense>
      )}
    </>
  )
}

interface Filters {
  readonly direction: Direction | null
  readonly step: string | null
  readonly sort: TransactionSort | null
}

/** Direction, step and order are each the browser's own select in the shape of a chip. */
function TransactionFilterBar({
  direction,
  step,
  sort,
  ordered = true,
  onPrepare,
  onChange,
  children,
}: Filters & {
  /** `ordered` is false for matches of a search, which come newest first. */
  readonly ordered?: boolean
  /** Somebody is about to choose. */
  readonly onPrepare: () => void
  readonly onChange: (filters: Filters) => void
  /** `children` act on the list. */
  readonly children?: ReactNode
}) {
  const steps: readonly string[] = direction ? stepsOf[direction] : everyStep
  return (
    <fieldset
      onPointerEnter={onPrepare}
      onFocus={onPrepare}
      className="mt-4 mb-3 flex flex-wrap items-center gap-1.5"
    >
      <legend className="sr-only">Filters</legend>
      <FilterChip
        name="Direction"
        value={direction ?? ''}
        choices={directions.map((each) => [each, directionLabels[each]])}
        onChange={(value) => {
          const next = directions.find((each) => each === value) ?? null
          const kept = next && step && !stepsOf[next].some((each) => each === step) ? null : step
          onChange({ direction: next, step: kept, sort })
        }}
      />
      <FilterChip
        name="Status"
        value={step ?? ''}
        choices={(step && !steps.includes(step) ? [...steps, step] : steps).map((each) => [
          each,
          stepLabel(direction, each).label,
        ])}
        onChange={(value) => onChange({ direction, step: value === '' ? null : value, sort })}
      />
      {ordered && (
        <FilterChip
          name="Order"
          none={sortLabels.started}
          value={sort ?? ''}
          choices={otherSorts.map((each) => [each, sortLabels[each]])}
          onChange={(value) =>
            onChange({ direction, step, sort: otherSorts.find((each) => each === value) ?? null })
          }
        />
      )}
      {children}
    </fieldset>
  )
}

const otherSorts = transactionSorts.filter((each) => each !== 'started')

const sortLabels = {
  started: 'Newest',
  moved: 'Recently updated',
  amount: 'Largest fiat amount',
} satisfies Record<TransactionSort, string>
