'use client'

import type { ReactNode } from 'react'
import { FilterChip } from '#components/ui/filter-chip.tsx'
import { type Direction, directions, everyStep, stepsOf } from '#lib/deliveries/rules/steps.ts'
import { directionLabels } from '#lib/transactions/labels/direction-labels.ts'
import { stepLabel } from '#lib/transactions/labels/step-labels.ts'
import { type TransactionSort, transactionSorts } from '#lib/transactions/rules/transaction-sort.ts'

interface Filters {
  readonly direction: Direction | null
  readonly step: string | null
  readonly sort: TransactionSort | null
}

/** Direction, step and order, each the browser's own select in the shape of a chip. */
export function TransactionFilterBar({
  direction,
  step,
  sort,
  ordered = true,
  onPrepare,
  onChange,
  children,
}: Filters & {
  /** False where the order is not to be chosen: what is found comes newest first. */
  readonly ordered?: boolean
  /** Somebody is about to choose. */
  readonly onPrepare: () => void
  readonly onChange: (filters: Filters) => void
  /** What else can be done with the list. */
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
        name="Step"
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
  moved: 'Latest move',
  amount: 'Largest fiat amount',
} satisfies Record<TransactionSort, string>
