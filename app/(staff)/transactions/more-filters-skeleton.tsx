'use client'

import { clsx } from 'clsx'
import { Skeleton } from '#components/ui/skeleton.tsx'
import { filterFlagLabels } from '#lib/search/labels/filter-flag-labels.ts'
import { filterFlags } from '#lib/transactions/rules/transaction-filters.ts'

/**
 * The skeleton replaces the filters while they load. It has the same fields in the same grid, so that the list
 * moves only once, at the press.
 */
export function MoreFiltersSkeleton() {
  return (
    <div aria-hidden className={filterGrid.all}>
      <FieldSkeleton />
      <FieldSkeleton />
      <FieldSkeleton />
      <FieldSkeleton />
      <div className={filterGrid.ranges}>
        <FieldSkeleton hint={amountHint} />
        <FieldSkeleton />
        <FieldSkeleton hint="UTC" />
        <FieldSkeleton />
        <Skeleton className={clsx(filterGrid.whole, 'h-7 w-40 pointer-coarse:h-10')} />
      </div>
      <div className={filterGrid.person}>
        <FieldSkeleton />
      </div>
      <div className={filterGrid.whole}>
        <Skeleton className="mb-1.5 h-lh w-20 text-sm" />
        <div className="invisible flex flex-wrap gap-x-5 gap-y-2 text-sm">
          {filterFlags.map((flag) => (
            <span key={flag} className="pl-6.5 font-label pointer-coarse:py-2.5">
              {filterFlagLabels[flag]}
            </span>
          ))}
        </div>
      </div>
    </div>
  )
}

const FieldSkeleton = ({ hint }: { readonly hint?: string }) => (
  <div>
    <Skeleton className="mb-1.5 h-lh w-20 text-sm" />
    <Skeleton className="h-10" />
    {hint && <p className="invisible mt-1.5 text-sm">{hint}</p>}
  </div>
)

/** The filters behind “More filters” use this grid, and so does their skeleton. */
export const filterGrid = {
  all: 'grid grid-cols-[minmax(0,1fr)] gap-4 p-4 sm:grid-cols-2 xl:grid-cols-4',
  ranges:
    'grid grid-cols-[minmax(0,1fr)] gap-4 self-start sm:col-span-2 sm:grid-cols-2 xl:col-span-4 xl:grid-cols-4',
  person: 'sm:col-span-2 2xl:col-span-1',
  whole: 'min-w-0 sm:col-span-2 xl:col-span-4',
} as const

/** The hint breaks into two lines in a narrow column. */
export const amountHint = 'In fiat, or in the chosen coin'
